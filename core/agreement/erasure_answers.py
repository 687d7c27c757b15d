"""What is read off a model's answer when words are gone: how probable the target still is, and how sure the model.

Shapes: N texts, R rows of an answer that are read (one, or one for each token of an output word), K labels or tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.saliency.answers import AnswerReader, LabelReader, NextTokenReader, OutputWordReader
from core.saliency.scalars import shares_of

# Columns of what `EraserReader` reads.
PROBABILITY, LEAD, SURE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class ErasureReader:
    """Reads three numbers of each text (N, 3) in the place of F: see the columns above.

    probability  of the target; of two texts their similarity
    lead         its share less the largest other share, below 0 where another answer has won; 1 where there is no
                 other answer
    sure         the largest share of any answer; for several rows the mean; 1 where there is nothing to be unsure of
    """

    own: AnswerReader

    def scalar(self, answer: Any, mask: Tensor) -> Tensor:
        probability = self.own.probability(answer, mask)
        rows = _rows_of(self.own, answer, mask)
        if rows is None:
            return torch.stack([probability, torch.ones_like(probability), torch.ones_like(probability)], dim=-1)
        shares, wanted = rows  # (N, R, K), (R,)
        own = shares.gather(2, wanted.expand(len(shares), -1)[..., None])[..., 0]  # (N, R, K) -> (N, R)
        others = shares.scatter(2, wanted.expand(len(shares), -1)[..., None], 0).amax(dim=-1)  # (N, R, K) -> (N, R)
        # A word has lost as soon as one of its tokens has.
        lead = (own - others).amin(dim=-1)
        return torch.stack([probability, lead, shares.amax(dim=-1).mean(dim=-1)], dim=-1)

    def probability(self, answer: Any, mask: Tensor) -> Tensor:
        return self.own.probability(answer, mask)


def _rows_of(reader: AnswerReader, answer: Any, mask: Tensor) -> tuple[Tensor, Tensor] | None:
    """Shares (N, R, K) of all answers, and which of them are the target (R,); None where there are no shares."""
    if isinstance(reader, LabelReader):
        shares = shares_of(answer.logits.float(), reader.alone)
        if reader.alone or shares.shape[-1] == 1:
            # Whether one label holds: its own share against that of the contrary.
            own = shares[:, reader.target.index]
            shares = torch.stack([1 - own, own], dim=-1)  # (N,) -> (N, 2)
            return shares[:, None], torch.ones(1, dtype=torch.long, device=shares.device)
        return shares[:, None], torch.tensor([reader.target.index], device=shares.device)
    if isinstance(reader, NextTokenReader):
        shares = shares_of(_last(answer.logits, mask))
        return shares[:, None], torch.tensor([reader.target.index], device=shares.device)
    if isinstance(reader, OutputWordReader):
        shares = shares_of(answer.logits[:, list(reader.rows)].float())  # (N, T, V) -> (N, R, V)
        return shares, torch.tensor(reader.ids, device=shares.device)
    return None


def _last(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits after the last token that is there: (N, T or 1, V) -> (N, V)."""
    if logits.shape[1] == 1:
        return logits[:, 0].float()
    places = torch.arange(mask.shape[1], device=mask.device)
    last = (places * mask).amax(dim=-1)  # (N, T) -> (N,)
    return logits[torch.arange(len(logits), device=logits.device), last].float()
