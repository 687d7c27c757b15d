"""The additive score, e = v · tanh(W s + U h), of Bahdanau, Cho & Bengio (2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.zoo.scores.score import Score


class Additive(Score):
    """v · tanh(W s + U h), as wide inside as the query."""

    remark = "These scores are v · tanh(W s + U h) and no dot products, so there are no queries and keys to multiply."

    def __init__(self, query_width: int, state_width: int) -> None:
        super().__init__(query_width, state_width)
        self.of_query = nn.Linear(query_width, query_width, bias=False)  # W
        self.of_state = nn.Linear(state_width, query_width, bias=False)  # U
        self.total = nn.Linear(query_width, 1, bias=False)  # v

    def keys(self, states: Tensor) -> Tensor:
        """U h."""
        return self.of_state(states)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.of_query(query)[:, :, None] + keys[:, None])  # (B, T, 1, K) + (B, 1, S, K)
        return self.total(hidden)[..., 0]  # (B, T, S, K) -> (B, T, S)
