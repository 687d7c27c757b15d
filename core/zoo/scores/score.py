"""What a query is compared with, and what every score has: keys made once a text, logits for each query.

Shapes: B batch, T queries, S source states, D width of a query, E width of a state, K width inside a score.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    """The states of one batch of texts, with everything about them that is the same for every query.

    states   (B, S, E): the values that are summed
    keys     (B, S, K): what the score makes of them, see `Score.keys`
    blocked  (B, 1, S) bool: True where there is padding, which comes after the text
    lengths  (B, 1, 1): number of states that are no padding, in the format of the states
    """

    states: Tensor
    keys: Tensor
    blocked: Tensor
    lengths: Tensor


class Score(nn.Module):
    """How well a query and a state go together. Calling it gives logits (B, T, S) of query (B, T, D) and keys.

    sums_to_less  whether rows of weights sum to less than one
    remark        why there are no products of queries and keys to look at, in one sentence; "" where there are
    """

    sums_to_less = False
    remark = ""

    def __init__(self, query_width: int, state_width: int) -> None:
        super().__init__()
        self.query_width, self.state_width = query_width, state_width

    def keys(self, states: Tensor) -> Tensor:
        """(B, S, E) -> (B, S, K): the part of the score that no query changes."""
        return states

    def weights(self, query: Tensor, memory: Memory) -> Tensor:
        """(B, T, D) -> (B, T, S): softmax over the states that are no padding."""
        return torch.softmax(self.logits(query, memory), dim=-1)

    def logits(self, query: Tensor, memory: Memory) -> Tensor:
        """(B, T, D) -> (B, T, S): minus infinity where there is padding."""
        return self(query, memory.keys).masked_fill(memory.blocked, -torch.inf)

    def remember(self, states: Tensor, mask: Tensor) -> Memory:
        """The memory of states (B, S, E); mask (B, S): 0 or False where there is padding."""
        kept = mask.bool()[:, None]  # (B, S) -> (B, 1, S)
        lengths = kept.sum(dim=-1, keepdim=True).to(states.dtype)  # (B, 1, S) -> (B, 1, 1)
        return Memory(states, self.keys(states), ~kept, lengths)
