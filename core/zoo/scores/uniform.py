"""No score at all: every state gets the same weight, which makes the sum a mean."""

from __future__ import annotations

from torch import Tensor

from core.zoo.scores.score import Score


class Uniform(Score):
    """0, whatever the query: the weights are 1 over the number of states."""

    remark = "Every state has the same score, whatever the query, so there are no queries and keys to multiply."

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return query.new_zeros(query.shape[0], query.shape[1], keys.shape[1])
