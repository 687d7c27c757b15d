"""What an encoder-decoder may say after each of its decoder's rows, and how probable what it said was.

Of each row the likeliest tokens are kept, not its logits: a vocabulary is a thousand times larger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

KEPT = 10
# Logits that are turned into probabilities at a time: 16 MB of float32.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class NextToken:
    """A token that may come next, how it is shown, and its probability among the whole vocabulary."""

    id: int
    label: str
    probability: float


@dataclass(frozen=True, eq=False)
class NextTokens:
    """The likeliest tokens after each of T rows, the most probable first, and the tokens that did come.

    ids             int64 (T, K), K at most KEPT
    probabilities   float32 (T, K)
    came            float32 (C,), the probability of the token that came after each of the first C rows
    labels          how each id is shown
    """

    ids: Tensor
    probabilities: Tensor
    came: Tensor
    labels: dict[int, str]

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return self.ids, self.probabilities, self.came

    def after(self, row: int) -> tuple[NextToken, ...]:
        """Raises IndexError for a row that there is not."""
        pairs = zip(self.ids[row].tolist(), self.probabilities[row].tolist(), strict=True)
        return tuple(NextToken(token, self.labels[token], share) for token, share in pairs)


@torch.no_grad()
def likeliest_next(logits: Tensor, came: Sequence[int], label_of: Callable[[int], str]) -> NextTokens:
    """Softmax in float32 over all of the vocabulary, a block of rows at a time.

    logits: (T, V) in any float format; came: ids of the tokens that came after the first rows, at most T;
    label_of: how a token id is shown.
    """
    vocabulary = logits.shape[1]
    ids, shares, totals = [], [], []
    for block in logits.split(max(1, _BLOCK // vocabulary)):
        total = block.float().logsumexp(dim=-1)  # (rows, V) -> (rows,)
        best, places = block.topk(min(KEPT, vocabulary), dim=-1)  # (rows, V) -> (rows, K)
        ids.append(places)
        shares.append((best.float() - total[:, None]).exp())
        totals.append(total)
    told = torch.tensor(came, dtype=torch.long, device=logits.device)
    said = logits[torch.arange(len(told)), told].float()  # (T, V) -> (C,)
    likeliest = torch.cat(ids).cpu()
    labels = {token: label_of(token) for token in likeliest.unique().tolist()}
    probabilities, totals_of_rows = torch.cat(shares).cpu(), torch.cat(totals)
    return NextTokens(likeliest, probabilities, (said - totals_of_rows[: len(told)]).exp().cpu(), labels)
