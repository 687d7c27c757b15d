"""How F is read off a network's answer, for each kind of target.

Shapes: N texts at once, T tokens, R rows of logits that are read (one, or one for each token of an output word), K of
them in a row (labels, or the vocabulary), E width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from core.capture import NUMBER, SOFTMAX, shares_of
from core.models.answers import AnswerKind
from core.models.pooling import Pooling
from core.saliency.scalars import scalar_of

# The rows of logits (N, R, K) out of an answer to N texts; the mask (N, T) says which tokens are there.
Pick = Callable[[Any, Tensor], Tensor]


class AnswerReader(Protocol):
    """Reads F and the target's probability off the answer to N texts; mask (N, T) says which tokens are there."""

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        """(N,), differentiable."""
        ...

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        """(N,) of the target; of two texts their similarity, of a regression its number."""
        ...

    def shares(self, answer: Any, mask: Tensor) -> tuple[Tensor, tuple[int, ...]] | None:
        """Probabilities (N, R, K) of all answers, and which of them are the target (R,); None where there are none."""
        ...


@dataclass(frozen=True)
class LogitReader:
    """Of logits.

    wanted    which of the K is meant in each row; foil: what it is held against
    function  what makes probabilities of the logits
    """

    pick: Pick
    wanted: tuple[int, ...]
    foil: int | None
    scale: str
    function: str = SOFTMAX

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        rows = self.pick(answer, mask).float().unbind(dim=1)  # (N, R, K) -> R of (N, K)
        each = [
            scalar_of(row, index, self.foil, self.scale, self.function)
            for row, index in zip(rows, self.wanted, strict=True)
        ]
        return torch.stack(each).sum(dim=0)  # (R, N) -> (N,)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        shares = shares_of(self.pick(answer, mask).float(), self.function)  # (N, R, K)
        return shares[:, range(len(self.wanted)), self.wanted].prod(dim=-1)  # (N, R, K) -> (N, R) -> (N,)

    def shares(self, answer: Any, mask: Tensor) -> tuple[Tensor, tuple[int, ...]] | None:
        if self.function == NUMBER:
            return None
        shares = shares_of(self.pick(answer, mask).float(), self.function)  # (N, R, K)
        if self.function == SOFTMAX:
            return shares, self.wanted
        # Whether one label holds: its own share against that of the contrary.
        own = shares[:, :, self.wanted[0]]  # (N, 1, K) -> (N, 1)
        return torch.stack([1 - own, own], dim=-1), (1,)


@dataclass(frozen=True, eq=False)
class SimilarityReader:
    """Of an encoder without a head: the cosine of its pooled states with those of another text, which stays as it is.

    other: (D,).
    """

    other: Tensor
    pooling: Pooling

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        return self._cosine(answer.last_hidden_state, mask)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return self.scalar(answer, mask)

    def shares(self, answer: Any, mask: Tensor) -> None:
        return None

    def rows(self, answer: Any, mask: Tensor) -> tuple[int, ...]:
        """Places of the tokens of one text whose states its pooling reads."""
        states = answer.last_hidden_state.detach().requires_grad_()
        with torch.enable_grad():
            (found,) = torch.autograd.grad(self._cosine(states, mask).sum(), states)
        return dependent(found[0])

    def _cosine(self, states: Tensor, mask: Tensor) -> Tensor:
        """(N, T, E) -> (N,)."""
        return torch.cosine_similarity(self.pooling(states, mask), self.other[None], dim=-1)


def dependent(gradient: Tensor) -> tuple[int, ...]:
    """Places of the states on which a number depends by its gradient to them: (T, E)."""
    sizes = gradient.norm(dim=-1)  # (T, E) -> (T,)
    return tuple(int(place) for place in torch.nonzero(sizes > sizes.max() * 1e-9)[:, 0])


def rows_of(kind: AnswerKind, rows: tuple[int, ...] | None) -> Pick:
    """Of these rows: (N, T, K) -> (N, R, K); None where an answer is one row, (N, K) -> (N, 1, K)."""
    if rows is None:
        return lambda answer, mask: kind.logits(answer)[:, None]
    return lambda answer, mask: kind.logits(answer)[:, list(rows)]


def among(kind: AnswerKind, scores: tuple[float, ...], own: int) -> Pick:
    """One choice's score beside those that the others have with the text as it is: (N, 1) -> (N, 1, K)."""

    def pick(answer: Any, mask: Tensor) -> Tensor:
        score = kind.logits(answer)
        others = score.new_tensor(scores).expand(len(score), -1)  # (K,) -> (N, K)
        return torch.cat([others[:, :own], score, others[:, own + 1 :]], dim=1)[:, None]

    return pick


def next_token_logits(answer: Any, mask: Tensor) -> Tensor:
    """Of a decoder, after the last token that is there: (N, T or 1, V) -> (N, 1, V)."""
    logits: Tensor = answer.logits
    if logits.shape[1] == 1:
        return logits
    last = mask.shape[1] - 1 - mask.flip(-1).long().argmax(dim=-1)  # (N, T) -> (N,)
    return logits[torch.arange(len(logits), device=logits.device), last][:, None]
