"""Local-p attention of Luong, Pham & Manning (2015): a window around a predicted place, and a bell curve within it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.zoo.scores.general import General
from core.zoo.scores.score import Memory

WINDOW = 10


class Local(General):
    """The general score within [p - D, p + D], where p = S · sigmoid(v · tanh(W s)) and S is the text's length.

    The weights are the window's softmax times exp(-(j - p)² / 2σ²) with σ = D / 2, as published: they are not scaled
    up again, so a row sums to less than one.
    """

    sums_to_less = True
    remark = (
        "A bell curve around a predicted place multiplies these weights: the scores are their logarithms, and what the "
        "curve takes away goes to no token."
    )

    def __init__(self, query_width: int, state_width: int, window: int = WINDOW) -> None:
        super().__init__(query_width, state_width)
        self.window = window
        self.of_query = nn.Linear(query_width, query_width, bias=False)  # W of the place
        self.total = nn.Linear(query_width, 1, bias=False)  # v of the place

    def place(self, query: Tensor, memory: Memory) -> Tensor:
        """(B, T, D) -> (B, T, 1): p, between 0 and S."""
        return memory.lengths * torch.sigmoid(self.total(torch.tanh(self.of_query(query))))

    def weights(self, query: Tensor, memory: Memory) -> Tensor:
        """(B, T, D) -> (B, T, S)"""
        place = self.place(query, memory)
        distance = torch.arange(memory.keys.shape[1], device=place.device) - place  # (S,) - (B, T, 1) -> (B, T, S)
        logits = self.logits(query, memory).masked_fill(distance.abs() > self.window, -torch.inf)
        return torch.softmax(logits, dim=-1) * torch.exp(-2 * (distance / self.window) ** 2)
