"""How many positions a scheme's objects hold, and the same objects for the first of them only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.positions.objects import Bias, Buckets, Table, Thing

if TYPE_CHECKING:
    from torch import Tensor


def positions_held(thing: Thing) -> int | None:
    """Positions that a thing has numbers for; None where it has them for all."""
    if isinstance(thing, Table):
        return len(thing.values)
    if isinstance(thing, Bias):
        return thing.values.shape[-1] // 2 + 1
    return len(thing.numbers) // 2 + 1 if isinstance(thing, Buckets) else None


def cut(thing: Thing, length: int) -> Thing:
    """A table, a bias or buckets of the first `length` positions, of all where there are fewer; others as they are."""
    match thing:
        case Table():
            return replace(thing, values=thing.values[:length])
        case Bias():
            return replace(thing, values=_around_zero(thing.values, length), starts=_within(thing.starts, length))
        case Buckets():
            return replace(thing, numbers=_around_zero(thing.numbers, length), starts=_within(thing.starts, length))
        case _:
            return thing


def _within(starts: tuple[int, ...], length: int) -> tuple[int, ...]:
    return tuple(start for start in starts if start < length)


def _around_zero(values: Tensor, length: int) -> Tensor:
    """What is held for offsets less than `length` away: (..., 2R + 1) -> (..., 2 length - 1)."""
    middle = values.shape[-1] // 2
    away = min(length - 1, middle)
    return values[..., middle - away : middle + away + 1]
