"""The dot score, e = s · h, of Luong, Pham & Manning (2015): no weights, no scaling."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.zoo.scores.score import Score


class Dot(Score):
    """s · h; the two must be equally wide."""

    def __init__(self, query_width: int, state_width: int) -> None:
        if query_width != state_width:
            raise HeadlightError(
                f"The dot score needs queries as wide as the states, and these are {query_width} and {state_width} "
                "wide: choose equal widths, or the general score."
            )
        super().__init__(query_width, state_width)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(query, keys.mT)  # (B, T, D) @ (B, D, S) -> (B, T, S)
