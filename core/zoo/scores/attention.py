"""Attention over the states of an RNN: a score's weights, and the states that they sum."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.zoo.scores.score import Memory, Score


class Attention(nn.Module):
    """Context c = Σ α h for each query.

    `core.capture` sees the softmax and the product because both run in here, and reads the three attributes:
    attention_stream        "cross" or "pooling"
    attention_sums_to_less  True where the rows of a score sum to less than one
    attention_remark        what is to be said of the scores where they are no dot products
    """

    def __init__(self, score: Score, stream: str) -> None:
        super().__init__()
        self.score = score
        self.attention_stream = stream
        self.attention_sums_to_less = score.sums_to_less
        self.attention_remark = score.remark

    def remember(self, states: Tensor, mask: Tensor) -> Memory:
        """What all queries share of states (B, S, E) and mask (B, S)."""
        return self.score.remember(states, mask)

    def forward(self, query: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Query (B, T, D) -> context (B, T, E), weights (B, T, S)."""
        weights = self.score.weights(query, memory)
        return torch.bmm(weights, memory.states), weights  # (B, T, S) @ (B, S, E) -> (B, T, E)
