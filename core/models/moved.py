"""A base against its fine-tuned self: how far the weights of each layer moved.

Tensors are paired by name, whatever prefixes wrappers and heads put before them, and read in blocks, so that networks
of any size and number format are compared in little memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from core.errors import HeadlightError
from core.jobs import Job
from core.models.moved_parts import EMBEDDING, HEAD, Place, places_of

# Numbers of each network that are taken to float64 at a time.
BLOCK = 1 << 20
# Names that a prefix has, at most: base_model.model.bert.
DEEPEST = 3


@dataclass(frozen=True)
class LayerMove:
    """How far one part of a layer moved from W to W + dW, all its tensors together.

    layer     counted from 0 in its stack; None outside the layers
    stack     "encoder", "decoder" or "cross" (attention from one to the other); "" where there is one stack
    part      one of `core.models.moved_parts.PARTS`, or the module's own name
    relative  ||dW|| / ||W||, Frobenius norms; infinite where W is 0 and dW is not
    cosine    between W and W + dW; NaN where just one of them is 0
    largest   max |dW|
    count     numbers that were compared
    """

    layer: int | None
    stack: str
    part: str
    relative: float
    cosine: float
    largest: float
    count: int


@dataclass(frozen=True)
class Moved:
    """What differs between two networks. Tensors are named without a prefix that keeps them from their partners.

    layers       in the order of the base
    only_base, only_tuned  tensors without a partner
    other_shape  tensors whose partner has another shape, or holds packed numbers
    same         whether all that was compared is equal, number for number
    common_rows  tensors of a vocabulary that grew or shrank, with the rows that were compared, in words
    """

    layers: tuple[LayerMove, ...]
    only_base: tuple[str, ...]
    only_tuned: tuple[str, ...]
    other_shape: tuple[str, ...]
    same: bool
    common_rows: tuple[str, ...] = ()

    @property
    def most(self) -> tuple[LayerMove, ...]:
        """The same, those that moved most first."""
        return tuple(sorted(self.layers, key=lambda move: (not move.relative >= 0, -move.relative)))


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two tensors of one name, cut to the rows they have in common; `said` tells of that, "" where all are."""

    name: str
    base: Tensor
    tuned: Tensor
    said: str = ""


@dataclass(frozen=True)
class _Sums:
    """Sums over numbers: of squares of the change, of the base and of the tuned, and of base times tuned."""

    change: float = 0.0
    base: float = 0.0
    tuned: float = 0.0
    both: float = 0.0
    largest: float = 0.0
    count: int = 0

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(
            self.change + other.change,
            self.base + other.base,
            self.tuned + other.tuned,
            self.both + other.both,
            # Python's max would lose a NaN.
            math.nan if math.isnan(self.largest + other.largest) else max(self.largest, other.largest),
            self.count + other.count,
        )


@torch.no_grad()
def moved(base: nn.Module, tuned: nn.Module, job: Job | None = None) -> Moved:
    """Compare the weights of a network with those of its fine-tuned self, in float64.

    Tied weights count once; buffers are no weights. A vocabulary that grew by added tokens is compared on the rows
    that both have. Networks may have heads of their own, number formats of their own, and lie on any devices; what a
    shorter format rounds away counts as movement.
    job: told before each tensor.
    Raises HeadlightError, one sentence, where fewer than half of the tensors have a partner of their shape, or where
    weights lie on the disk.
    """
    ours, theirs = _aligned(_tensors(base, "the base"), _tensors(tuned, "the fine-tuned model"))
    places = places_of(base, ours)
    shared = [name for name in ours if name in theirs]
    vocabularies = {each[name].shape[0] for name in shared for each in (ours, theirs) if places[name].part == EMBEDDING}
    pairs = _distinct(
        pair for name in shared if (pair := _pair(name, ours[name], theirs[name], places[name], vocabularies))
    )
    _require_kin(len(pairs), ours, theirs)
    sums: dict[Place, _Sums] = {}
    for done, pair in enumerate(pairs):
        if job is not None:
            job.advance(done, len(pairs), f"comparing {pair.name}")
        sums[places[pair.name]] = sums.get(places[pair.name], _Sums()) + _compared(pair, job)
    compared = {pair.name for pair in pairs}
    return Moved(
        layers=tuple(_move(place, found) for place, found in sums.items()),
        only_base=_left(ours, theirs),
        only_tuned=_left(theirs, ours),
        other_shape=tuple(name for name in shared if name not in compared and not _tied(name, pairs, ours, theirs)),
        same=all(found.largest == 0 for found in sums.values()),
        common_rows=tuple(pair.said for pair in pairs if pair.said),
    )


def _tensors(network: nn.Module, which: str) -> dict[str, Tensor]:
    """Every parameter under every name it has. which: the network in a sentence."""
    found = dict(network.named_parameters(remove_duplicate=False))
    if any(tensor.is_meta for tensor in found.values()):
        raise HeadlightError(
            f"Some weights of {which} lie on the disk and not in memory: open it on one device to compare it."
        )
    return {name: tensor.detach() for name, tensor in found.items()}


def _aligned(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The same tensors without the prefixes that keep most names from being equal."""
    tries = [
        (_without(mine, ours), _without(other, theirs)) for mine, other in product(_prefixes(ours), _prefixes(theirs))
    ]
    # The first of equals: prefixes come the shortest first.
    return max(tries, key=lambda pair: sum(name in pair[1] for name in pair[0]))


def _prefixes(names: Mapping[str, Tensor]) -> list[str]:
    """ "" and the beginnings that at least half of the names share."""
    counts: dict[str, int] = {}
    for name in names:
        parts = name.split(".")
        for depth in range(1, min(DEEPEST, len(parts) - 1) + 1):
            prefix = ".".join(parts[:depth]) + "."
            counts[prefix] = counts.get(prefix, 0) + 1
    return ["", *sorted((prefix for prefix, count in counts.items() if 2 * count >= len(names)), key=len)]


def _without(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under their names without a prefix; one whose shorter name is taken keeps its own."""
    if not prefix:
        return tensors
    shorter = {name: name.removeprefix(prefix) for name in tensors}
    return {
        name if shorter[name] != name and shorter[name] in tensors else shorter[name]: tensors[name] for name in tensors
    }


def _pair(name: str, base: Tensor, tuned: Tensor, place: Place, vocabularies: set[int]) -> _Pair | None:
    """Two tensors as they are compared, or None where they cannot be."""
    if not _is_plain(base) or not _is_plain(tuned):
        return None
    if base.shape == tuned.shape:
        return _Pair(name, base, tuned)
    if base.dim() != tuned.dim() or not base.dim() or base.shape[1:] != tuned.shape[1:]:
        return None
    few, many = sorted((base.shape[0], tuned.shape[0]))
    of_words = place.part == EMBEDDING or (place.part == HEAD and {few, many} <= vocabularies)
    # Fewer than half: another vocabulary, not one with tokens added.
    if not of_words or 2 * few < many:
        return None
    said = f"{name}: the first {few:,} rows, which both have, of {base.shape[0]:,} and {tuned.shape[0]:,}"
    return _Pair(name, base[:few], tuned[:few], said)


def _is_plain(tensor: Tensor) -> bool:
    """Whether its numbers are the weights themselves: quantised ones are packed into other classes and integers."""
    return type(tensor) in (Tensor, nn.Parameter) and tensor.is_floating_point()


def _distinct(pairs: Iterator[_Pair]) -> list[_Pair]:
    """The pairs, tied ones once, under the first of their names."""
    kept: dict[tuple[object, ...], _Pair] = {}
    for pair in pairs:
        kept.setdefault((_memory(pair.base), _memory(pair.tuned)), pair)
    return list(kept.values())


def _memory(tensor: Tensor) -> tuple[object, ...]:
    """What two names of one tensor have in common."""
    return tensor.device, tensor.data_ptr(), tuple(tensor.shape), tensor.stride()


def _tied(name: str, pairs: list[_Pair], ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor]) -> bool:
    """Whether both tensors of a name were compared under another one."""
    return any(
        ours[name].data_ptr() == pair.base.data_ptr() and theirs[name].data_ptr() == pair.tuned.data_ptr()
        for pair in pairs
    )


def _left(tensors: Mapping[str, Tensor], partners: Mapping[str, Tensor]) -> tuple[str, ...]:
    """Names without a partner, except further names of a tensor that has one."""
    paired = {_memory(tensor) for name, tensor in tensors.items() if name in partners}
    alone: dict[tuple[object, ...], str] = {}
    for name, tensor in tensors.items():
        if name not in partners and _memory(tensor) not in paired:
            alone.setdefault(_memory(tensor), name)
    return tuple(alone.values())


def _require_kin(pairs: int, ours: Mapping[str, Tensor], theirs: Mapping[str, Tensor]) -> None:
    most = max(len({_memory(tensor) for tensor in each.values()}) for each in (ours, theirs))
    if not pairs or 2 * pairs < most:
        raise HeadlightError(
            f"Only {pairs:,} of {most:,} tensors have a partner of the same name and shape, so these two are no base "
            "and its fine-tuned model: choose two of one architecture and size."
        )


def _compared(pair: _Pair, job: Job | None) -> _Sums:
    sums = _Sums()
    for base, tuned in _blocks(pair.base, pair.tuned):
        if job is not None:
            job.check()
        one, other = (block.to("cpu").to(torch.float64).flatten() for block in (base, tuned))
        change = other - one
        sums += _Sums(
            float(change @ change),
            float(one @ one),
            float(other @ other),
            float(one @ other),
            float(change.abs().max()) if change.numel() else 0.0,
            change.numel(),
        )
    return sums


def _blocks(base: Tensor, tuned: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Both in views of at most `BLOCK` numbers, in halves of their longest side."""
    if base.numel() <= BLOCK:
        yield base, tuned
        return
    side = max(range(base.dim()), key=lambda axis: base.shape[axis])
    half = base.shape[side] // 2
    for start, length in ((0, half), (half, base.shape[side] - half)):
        yield from _blocks(base.narrow(side, start, length), tuned.narrow(side, start, length))


def _move(place: Place, sums: _Sums) -> LayerMove:
    norms = math.sqrt(sums.base) * math.sqrt(sums.tuned)
    return LayerMove(
        place.layer,
        place.stack,
        place.part,
        relative=0.0 if sums.change == 0 else math.sqrt(sums.change / sums.base) if sums.base else math.inf,
        # Rounding may take a cosine beyond 1; NumPy's clip keeps a NaN.
        cosine=1.0 if sums.change == 0 else float(np.clip(sums.both / norms, -1, 1)) if norms else math.nan,
        largest=sums.largest,
        count=sums.count,
    )
