"""How F is read off a network's answer, for each kind of target.

Shapes: N texts at once, T tokens, K labels, V vocabulary, E width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from core.saliency.scalars import scalar_of, shares_of
from core.saliency.target import Target


class AnswerReader(Protocol):
    """Reads F and the target's probability off the answer to N texts; mask (N, T) says which tokens are there."""

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        """(N,), differentiable."""
        ...

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        """(N,) of the target; of two texts their similarity."""
        ...


@dataclass(frozen=True)
class LabelReader:
    """Of a classifier. alone: whether several labels may hold at once, so that each stands alone."""

    target: Target
    scale: str
    alone: bool = False

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        foil = None if self.target.foil is None else self.target.foil.index
        return scalar_of(answer.logits.float(), self.target.index, foil, self.scale, self.alone)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return shares_of(answer.logits.float(), self.alone)[:, self.target.index]


@dataclass(frozen=True)
class NextTokenReader:
    """Of a decoder, after the last token that is there."""

    target: Target
    scale: str

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        foil = None if self.target.foil is None else self.target.foil.index
        return scalar_of(self._last(answer, mask), self.target.index, foil, self.scale)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return shares_of(self._last(answer, mask))[:, self.target.index]

    def _last(self, answer: Any, mask: Tensor) -> Tensor:
        """(N, T or 1, V) -> (N, V)."""
        logits: Tensor = answer.logits
        if logits.shape[1] == 1:
            return logits[:, 0].float()
        last = mask.shape[1] - 1 - mask.flip(-1).long().argmax(dim=-1)  # (N, T) -> (N,)
        return logits[torch.arange(len(logits), device=logits.device), last].float()


@dataclass(frozen=True)
class OutputWordReader:
    """Of an encoder-decoder that is made to say its answer: the word's tokens, each where the decoder produces it.

    rows, ids: of the word's tokens.
    """

    rows: tuple[int, ...]
    ids: tuple[int, ...]
    scale: str

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        pieces = zip(self.rows, self.ids, strict=True)
        each = [scalar_of(answer.logits[:, row].float(), token, None, self.scale) for row, token in pieces]
        return torch.stack(each).sum(dim=0)  # (pieces, N) -> (N,)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        each = [shares_of(answer.logits[:, row].float())[:, i] for row, i in zip(self.rows, self.ids, strict=True)]
        return torch.stack(each).prod(dim=0)  # (tokens, N) -> (N,)


@dataclass(frozen=True, eq=False)
class SimilarityReader:
    """Of an encoder without a head: the cosine of its mean state with that of another text, which stays as it is.

    other: (E,). The mean is over all tokens, special ones too, as sentence-transformers pools.
    """

    other: Tensor

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        return torch.cosine_similarity(mean_state(answer, mask), self.other[None], dim=-1)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return self.scalar(answer, mask)


def mean_state(answer: Any, mask: Tensor) -> Tensor:
    """The mean of the last states of the tokens that are there: (N, T, E) -> (N, E)."""
    states: Tensor = answer.last_hidden_state.float()
    there = mask[..., None].to(states.dtype)  # (N, T, 1)
    return (states * there).sum(dim=1) / there.sum(dim=1).clamp_min(1)
