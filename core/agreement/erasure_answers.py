"""What is read off a model's answer when words are gone: how probable the target still is, and how sure the model.

Shapes: N texts, R rows of an answer that are read (one, or one for each token of an output word), K labels or tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.saliency.answers import AnswerReader

# Columns of what `EraserReader` reads.
PROBABILITY, LEAD, SURE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class ErasureReader:
    """Reads three numbers of each text (N, 3) in the place of F: see the columns above.

    probability  of the target; of two texts their similarity, of a regression its number
    lead         its share less the largest other share, below 0 where another answer has won; 1 where there is no
                 other answer
    sure         the largest share of any answer; for several rows the mean; 1 where there is nothing to be unsure of
    """

    own: AnswerReader

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        probability = self.own.probability(answer, mask)
        rows = self.own.shares(answer, mask)
        if rows is None:
            return torch.stack([probability, torch.ones_like(probability), torch.ones_like(probability)], dim=-1)
        shares, wanted = rows[0], torch.tensor(rows[1], device=rows[0].device)  # (N, R, K), (R,)
        own = shares.gather(2, wanted.expand(len(shares), -1)[..., None])[..., 0]  # (N, R, K) -> (N, R)
        others = shares.scatter(2, wanted.expand(len(shares), -1)[..., None], 0).amax(dim=-1)  # (N, R, K) -> (N, R)
        # A word has lost as soon as one of its tokens has.
        lead = (own - others).amin(dim=-1)
        return torch.stack([probability, lead, shares.amax(dim=-1).mean(dim=-1)], dim=-1)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return self.own.probability(answer, mask)

    def shares(self, answer: Any, mask: Tensor) -> tuple[Tensor, tuple[int, ...]] | None:
        return self.own.shares(answer, mask)
