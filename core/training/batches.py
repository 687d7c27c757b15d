"""Batches: samples padded into tensors, buckets of like length over a finite list, and word dropout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.training.losses import IGNORED
from core.training.options import Dropping
from core.training.samples import Sample

Kind = Literal["seq2seq", "classifier", "language model"]

# Buckets are cut from this many batches at a time: long enough to find like lengths, short enough to stay random.
POOL = 50


@dataclass(frozen=True)
class Batch:
    """B samples, padded on the right.

    source      (B, S) what the network reads: source ids; of a language model <s> and its text without the last token
    mask        (B, S) 1 for tokens and 0 for padding
    target_in   (B, T) what the decoder reads: <s> and the target without its last token; None without a decoder
    target_out  (B, T) what it is to predict in these places, -100 in padding; of a classifier (B,) the labels
    tokens      number of places with a target
    """

    source: Tensor
    mask: Tensor
    target_in: Tensor | None
    target_out: Tensor
    tokens: int

    @property
    def inputs(self) -> dict[str, Tensor]:
        """The arguments of the network's forward pass."""
        inputs = {"input_ids": self.source, "attention_mask": self.mask}
        return inputs if self.target_in is None else inputs | {"decoder_input_ids": self.target_in}

    def to(self, device: torch.device) -> Batch:
        """The same batch on a device."""
        target_in = None if self.target_in is None else self.target_in.to(device)
        return Batch(self.source.to(device), self.mask.to(device), target_in, self.target_out.to(device), self.tokens)


def collate(samples: Sequence[Sample], kind: Kind = "seq2seq", *, pad: int = 0, bos: int = 1) -> Batch:
    """Pad samples into one batch. Raises `ValueError` without samples or where a text has no token at all."""
    if not samples:
        raise ValueError("A batch needs at least one sample.")
    targets = [sample.target for sample in samples]
    if kind == "language model":
        sources = [(bos, *target[:-1]) for target in targets]
    else:
        sources = [sample.source for sample in samples]
    if not all(sources) or not all(targets):
        raise ValueError("A sample needs at least one token on either side.")
    source, mask = padded(sources, pad), padded([(1,) * len(ids) for ids in sources], 0)  # (B, S)
    if kind == "classifier":
        return Batch(source, mask, None, torch.tensor([target[0] for target in targets]), len(targets))
    target_in = padded([(bos, *target[:-1]) for target in targets], pad) if kind == "seq2seq" else None  # (B, T)
    return Batch(source, mask, target_in, padded(targets, IGNORED), sum(map(len, targets)))


def padded(rows: Sequence[Sequence[int]], filler: int) -> Tensor:
    """Rows of ids as one tensor, filled on the right. -> (rows, longest)"""
    longest = max(map(len, rows))
    # By way of numpy, which reads a list of lists three times as fast.
    return torch.from_numpy(np.array([[*row, *(filler,) * (longest - len(row))] for row in rows]))


def word_dropout(batch: Batch, share: float, unknown: int, kept: Collection[int], dropping: Dropping = "even") -> Batch:
    """Replace source tokens by `unknown`; ids in `kept`, the special ones, never.

    dropping: "even" replaces each token with probability `share`; "texts" draws a share `share` of the texts, and for
    each of them the probability itself, from 0 to 1. The random numbers are torch's own on the CPU, so the batch must
    still be there.
    """
    if not share:
        return batch
    rates = torch.full((len(batch.source), 1), share) if dropping == "even" else _own_rates(len(batch.source), share)
    special = torch.isin(batch.source, torch.tensor(sorted({*kept, unknown})))  # (B, S)
    dropped = (torch.rand(batch.source.shape) < rates) & ~special & (batch.mask == 1)  # (B, S) < (B, 1) -> (B, S)
    return replace(batch, source=batch.source.masked_fill(dropped, unknown))


def _own_rates(texts: int, share: float) -> Tensor:
    """(B, 1): 0 for most texts, and for a share of them a number of their own below 1."""
    return torch.rand(texts, 1) * (torch.rand(texts, 1) < share)


class LengthBuckets:
    """A supply over a finite list: every sample once an epoch, in a new order each time.

    With `bucketing` the samples of a batch have like lengths, and the batches still come in random order. Without it
    the batches are random. The last batches of an epoch may be smaller. A pure function of seed and index.
    """

    def __init__(self, samples: Sequence[Sample], batch_size: int, *, seed: int = 0, bucketing: bool = True) -> None:
        if not samples:
            raise ValueError("A supply needs at least one sample.")
        self._samples = samples
        self._size = batch_size
        self._seed = seed
        self._bucketing = bucketing
        self._lengths = np.array([(len(sample.source), len(sample.target)) for sample in samples])  # (N, 2)
        self._order = lru_cache(maxsize=2)(self._batches)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return -(-len(self._samples) // self._size)

    def __getitem__(self, index: int) -> list[Sample]:
        epoch, place = divmod(index, len(self))
        return [self._samples[number] for number in self._order(epoch)[place]]

    def _batches(self, epoch: int) -> list[NDArray[np.intp]]:
        """The numbers of the samples in each batch of an epoch."""
        random = np.random.default_rng((self._seed, epoch))
        order = random.permutation(len(self._samples))
        if not self._bucketing:
            return self._cut(order)
        pool = POOL * self._size
        pools = [order[start : start + pool] for start in range(0, len(order), pool)]
        batches = [batch for numbers in pools for batch in self._cut(self._by_length(numbers))]
        return [batches[place] for place in random.permutation(len(batches))]

    def _by_length(self, numbers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Sorted by source length, then by target length; equal ones stay in their random order."""
        source, target = self._lengths[numbers].T
        return numbers[np.lexsort((target, source))]

    def _cut(self, numbers: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        return [numbers[start : start + self._size] for start in range(0, len(numbers), self._size)]
