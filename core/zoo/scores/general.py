"""The general score, e = s · W h, of Luong, Pham & Manning (2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.zoo.scores.score import Score


class General(Score):
    """s · W h; W h is worked out once a text."""

    def __init__(self, query_width: int, state_width: int) -> None:
        super().__init__(query_width, state_width)
        self.of_state = nn.Linear(state_width, query_width, bias=False)  # W

    def keys(self, states: Tensor) -> Tensor:
        """W h."""
        return self.of_state(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return torch.bmm(query, keys.mT)  # (B, T, D) @ (B, D, S) -> (B, T, S)
