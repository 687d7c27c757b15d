"""How much weight each head gives to keys at each distance, whatever the tokens are: a mean over a text.

Shapes: H heads, T tokens, r rows of a block, C columns that a block can reach, N offsets.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture import Trace
from core.errors import HeadlightError
from core.heads.blocks import head_groups, row_blocks
from core.jobs import Job

# The streams whose rows and columns are the same tokens.
WITH_DISTANCES = ("self", "encoder", "decoder")


@dataclass(frozen=True, eq=False)
class AttentionByDistance:
    """Means over the pairs of query and key at each offset: the key's place less the query's.

    offsets  whole numbers (N,), rising; those only that some query may attend to
    weights  float32 (H, N): mean weight of one key at that offset; a row of the map is not made to sum to one again
    uniform  float32 (N,): the same of rows that spread their weight evenly over all keys that they may attend to
    counts   whole numbers (N,): pairs that the mean is over
    scores   float32 (H, N): mean score before the softmax of the pairs whose score is known; NaN where none is. None
             where only weights were kept
    """

    offsets: Tensor
    weights: Tensor
    uniform: Tensor
    counts: Tensor
    scores: Tensor | None


def by_distance(
    trace: Trace, stream: str, layer: int, special: bool = False, reach: int | None = None, job: Job | None = None
) -> AttentionByDistance:
    """Mean weight by offset of every head of a layer, one block of rows in memory at a time.

    special: whether special tokens count as queries and as keys. Uniform rows give them their share either way, as the
    model does.
    reach: the farthest distance that is asked for; all of the text when None. job: told after each block.
    Raises HeadlightError for a stream without distances, and where the text leaves no token.
    """
    _refuse(trace, stream, reach)
    tokens = trace.queries(stream)
    own = torch.tensor([special or not each for each in tokens.special], dtype=torch.bool)  # (T,)
    if not bool(own.any()):
        raise HeadlightError("The text has only special tokens, which are left out: show them, or write a text.")
    heads = len(trace.groups(layer, stream))
    sums = _Sums(trace, stream, layer, own, len(own) - 1 if reach is None else min(reach, len(own) - 1))
    groups = head_groups(heads, len(own))
    pieces = [(rows, group) for rows in row_blocks(len(own), len(own), heads) for group in groups]
    for done, (rows, group) in enumerate(pieces, start=1):
        sums.add(rows, group)
        if job is not None:
            job.advance(done, len(pieces), f"averaging layer {layer} by distance")
    return sums.means()


def _refuse(trace: Trace, stream: str, reach: int | None) -> None:
    if stream in trace.streams and stream not in WITH_DISTANCES:
        raise HeadlightError(
            f"Rows and columns of {stream}-attention are not the same tokens, so there is no distance between them: "
            "choose the attention of a text to itself."
        )
    if stream not in trace.streams:
        raise HeadlightError(
            f"{trace.provenance.model} has no {stream}-attention: choose another model or kind of attention."
        )
    if reach is not None and reach < 0:
        raise HeadlightError(f"The farthest distance is a whole number from 0 on, not {reach}.")


class _Sums:
    """What blocks of rows add up to at each offset from -reach to reach, in float64."""

    def __init__(self, trace: Trace, stream: str, layer: int, own: Tensor, reach: int) -> None:
        self._trace, self._stream, self._layer = trace, stream, layer
        self._own = own
        self._reach = reach
        heads, offsets = len(trace.groups(layer, stream)), 2 * reach + 1
        self._weights = torch.zeros(heads, offsets, dtype=torch.float64)
        self._uniform = torch.zeros(1, offsets, dtype=torch.float64)
        self._counts = torch.zeros(1, offsets, dtype=torch.float64)
        self._scores = torch.zeros(heads, offsets, dtype=torch.float64)
        self._known = torch.zeros(heads, offsets, dtype=torch.float64)
        self._scored = True

    def add(self, rows: slice, heads: range) -> None:
        """A block of rows of some heads; each head once a row."""
        columns = slice(max(0, rows.start - self._reach), min(len(self._own), rows.stop + self._reach))
        visible = ~self._trace.masked(self._layer, self._stream, rows)  # (r, T)
        pairs = visible[:, columns] & self._own[rows, None] & self._own[columns]  # (r, C)
        if heads.start == 0:
            share = 1 / visible.sum(-1, keepdim=True).clamp_min(1)  # (r, 1)
            self._put(self._uniform, (pairs * share)[None], rows, columns)
            self._put(self._counts, pairs.float()[None], rows, columns)
        these = slice(heads.start, heads.stop)
        weights = self._trace.attention(self._layer, self._asked(heads), self._stream, rows, columns)  # (h, r, C)
        self._put(self._weights[these], weights * pairs, rows, columns)
        scores = self._trace.scores(self._layer, self._asked(heads), self._stream, rows) if self._scored else None
        self._scored = scores is not None
        if scores is not None:
            self._add_scores(scores[..., columns], pairs, these, rows, columns)

    def _add_scores(self, scores: Tensor, pairs: Tensor, heads: slice, rows: slice, columns: slice) -> None:
        """scores: (h, r, C), written over; pairs: (r, C)."""
        scores.masked_fill_(~pairs, 0)
        known = pairs[None]
        # Heads may have masks of their own; most do not, and a sum is faster than a look at every cell.
        if not bool(scores.sum().isfinite()):
            known = known & scores.isfinite()  # (h, r, C)
            scores.masked_fill_(~known, 0)
        self._put(self._scores[heads], scores, rows, columns)
        self._put(self._known[heads], known.float(), rows, columns)

    def _asked(self, heads: range) -> list[int] | None:
        """All heads are asked for as such, which copies nothing."""
        return None if len(heads) == len(self._weights) else list(heads)

    def _put(self, into: Tensor, cells: Tensor, rows: slice, columns: slice) -> None:
        """Add cells (h, r, C) to the sums (h, N) of their offsets, as far as those are within reach."""
        for number, row in enumerate(range(rows.start, rows.stop)):
            first, end = max(columns.start, row - self._reach), min(columns.stop, row + self._reach + 1)
            shift = self._reach - row
            into[:, first + shift : end + shift] += cells[:, number, first - columns.start : end - columns.start]

    def means(self) -> AttentionByDistance:
        """Over all blocks that were added, of the offsets that have a pair."""
        there = self._counts[0] > 0
        counts = self._counts[0, there]
        return AttentionByDistance(
            offsets=torch.arange(-self._reach, self._reach + 1)[there],
            weights=(self._weights[:, there] / counts).float(),
            uniform=(self._uniform[0, there] / counts).float(),
            counts=counts.long(),
            scores=(self._scores / self._known)[:, there].float() if self._scored else None,
        )
