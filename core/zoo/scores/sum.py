"""The additive score without its two matrices, e = v · tanh(s + h), as Keras's AdditiveAttention has it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.zoo.scores.score import Score


class Sum(Score):
    """v · tanh(s + h); the two must be equally wide."""

    remark = "These scores are v · tanh(s + h) and no dot products, so there are no queries and keys to multiply."

    def __init__(self, query_width: int, state_width: int) -> None:
        if query_width != state_width:
            raise HeadlightError(
                f"The sum score needs queries as wide as the states, and these are {query_width} and {state_width} "
                "wide: choose equal widths, or the additive score."
            )
        super().__init__(query_width, state_width)
        self.total = nn.Linear(query_width, 1, bias=False)  # v

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(query[:, :, None] + keys[:, None])  # (B, T, 1, D) + (B, 1, S, D) -> (B, T, S, D)
        return self.total(hidden)[..., 0]  # (B, T, S, D) -> (B, T, S)
