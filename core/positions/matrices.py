"""What a scheme consists of as one matrix with a row for each position."""

from __future__ import annotations

from torch import Tensor

from core.positions.objects import Bias, Buckets, Rotation, Table, Thing
from core.positions.products import toeplitz
from core.positions.waves import angles


def matrix_of(thing: Thing, length: int, head: int = 0) -> Tensor:
    """float32, a row for each of `length` positions, which the thing must hold.

    Table     (length, D)       what is added
    Rotation  (length, P)       angles in radians, not wrapped
    Bias      (length, length)  what the head adds to its scores; columns are keys, also those that a mask hides
    others    (length, length)  the row that an offset reads
    """
    match thing:
        case Table():
            return thing.values[:length]
        case Rotation():
            return angles(thing, length).float()
        case Bias():
            return toeplitz(thing.values[head], length)
        case Buckets():
            return toeplitz(thing.numbers, length).float()
        case _:
            return toeplitz(thing.buckets.numbers, length).float()
