"""The concat score, e = v · tanh(W [s; h]), of Luong, Pham & Manning (2015): the additive one with W and U in one."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.zoo.scores.score import Score


class Concat(Score):
    """v · tanh(W [s; h]). W's columns for the state are applied once a text, which gives the same sum."""

    remark = "These scores are v · tanh(W [s; h]) and no dot products, so there are no queries and keys to multiply."

    def __init__(self, query_width: int, state_width: int) -> None:
        super().__init__(query_width, state_width)
        self.of_both = nn.Linear(query_width + state_width, query_width, bias=False)  # W
        self.total = nn.Linear(query_width, 1, bias=False)  # v

    def keys(self, states: Tensor) -> Tensor:
        """The state's share of W [s; h]."""
        return F.linear(states, self.of_both.weight[:, self.query_width :])

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        of_query = F.linear(query, self.of_both.weight[:, : self.query_width])
        hidden = torch.tanh(of_query[:, :, None] + keys[:, None])  # (B, T, 1, K) + (B, 1, S, K)
        return self.total(hidden)[..., 0]  # (B, T, S, K) -> (B, T, S)
