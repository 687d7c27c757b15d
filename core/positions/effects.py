"""One scale for all schemes: what a distance leaves of the similarity or of the weight that two tokens have."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import pad

from core.errors import HeadlightError
from core.positions.objects import Bias, Buckets, ByDistance, Rotation, Table, Thing
from core.positions.products import cosines, toeplitz


def held(thing: Bias | Buckets, reach: int) -> ByDistance:
    """The bias or the bucket at each offset up to `reach` away, as far as it is held; up to 0 where causal."""
    rows = thing.values if isinstance(thing, Bias) else thing.numbers[None].float()  # (H, 2R + 1)
    farthest = rows.shape[-1] // 2
    reach = min(reach, farthest)
    last = 0 if thing.causal else reach
    what = "bias" if isinstance(thing, Bias) else "bucket"
    return ByDistance(torch.arange(-reach, last + 1), rows[:, farthest - reach : farthest + last + 1], what)


def similarity(thing: Thing, reach: int) -> ByDistance:
    """How alike two positions are at each offset from -reach to reach: float32 (1, N), 1 at offset 0.

    Table     mean cosine over all positions at that offset, with the smallest and the largest; rows of zeros are left
              out. Offsets end where the table does
    Rotation  the product of a query and a key of ones, by what it is at 0: the mean of cos(k w_i) over the pairs, of
              which those that are not turned have a cosine of 1
    Raises HeadlightError for others: a bias compares no positions, see `effect`.
    """
    match thing:
        case Table():
            return _of_table(thing, min(reach, len(thing.values) - 1))
        case Rotation():
            found = turning(thing.frequencies, reach)
            share = min(1.0, 2 * len(thing.frequencies) / thing.width)
            return replace(found, values=share * found.values + (1 - share))
        case _:
            raise HeadlightError("This scheme has no vectors of positions to compare: look at what it adds to scores.")


def turning(frequencies: Tensor, reach: int) -> ByDistance:
    """The mean of cos(k w) over all frequencies w, at each offset k."""
    offsets = torch.arange(reach + 1, dtype=torch.float64)
    turned = offsets[:, None] * frequencies.double()  # (R + 1, 1) * (P,) -> (R + 1, P)
    return _mirrored(turned.cos().mean(-1))


def _of_table(table: Table, reach: int) -> ByDistance:
    alike = pad(cosines(table), (0, reach), value=torch.nan)  # (T, T + R)
    rows, offsets = torch.arange(len(alike)), torch.arange(reach + 1)
    found = alike.gather(1, rows[:, None] + offsets).double()  # (T, R + 1), column k for the offset k
    known = found.isfinite()
    low, high = found.where(known, torch.inf).amin(0), found.where(known, -torch.inf).amax(0)  # (R + 1,)
    low, high = (_mirrored(end.where(known.any(0), torch.nan)).values[0] for end in (low, high))
    return replace(_mirrored(found.nanmean(0)), low=low, high=high)


def _mirrored(values: Tensor) -> ByDistance:
    """From what offsets 0 up to R have, (R + 1,), the same for -R up to R."""
    farthest = len(values) - 1
    offsets = torch.arange(-farthest, farthest + 1)
    return ByDistance(offsets, values[offsets.abs()].float()[None], "similarity")


def effect(thing: Thing, reach: int, head: int = 0) -> ByDistance:
    """What a distance leaves, on one scale for all schemes, 1 at offset 0: float32 (1, N), as far as it is held.

    Table, Rotation  `similarity`
    Bias             e^(b(k) - b(0)): the factor by which the head's bias changes a weight before it is normalised
    Raises HeadlightError where it depends on a table that is a model's, or on the query.
    """
    match thing:
        case Table() | Rotation():
            return similarity(thing, reach)
        case Bias():
            found = held(thing, reach)
            row = found.values[head].double()  # (N,)
            factors = (row - row[found.offsets == 0]).exp()
            return ByDistance(found.offsets, factors.float()[None], "effect")
        case Buckets():
            raise HeadlightError("What is added for an offset is learned: open a model that has such a table.")
        case _:
            raise HeadlightError(
                "What the vector of an offset adds depends on the query that it meets: look at it in the open model."
            )


def effect_by_head(thing: Thing, reach: int) -> ByDistance:
    """`effect` of every head: float32 (H, N), of one row where heads do not differ."""
    heads = len(thing.values) if isinstance(thing, Bias) else 1
    found = [effect(thing, reach, head) for head in range(heads)]
    return replace(found[0], values=torch.cat([each.values for each in found]))  # H × (1, N) -> (H, N)


def pairs(thing: Thing, length: int, head: int = 0) -> Tensor:
    """The effect between each query's position (row) and each key's: float32 (length, length), NaN where masked.

    Of a table it is the cosine of the two rows themselves, not a mean. Raises HeadlightError as `effect` does, and
    where the thing ends before `length`.
    """
    if isinstance(thing, Table):
        _require(len(thing.values), length)
        return cosines(Table(thing.values[:length]))
    found = effect(thing, length - 1, head)
    _require(1 - int(found.offsets[0]), length)
    values = torch.full((2 * length - 1,), torch.nan)  # (2R + 1,), R = length - 1
    values[: found.values.shape[-1]] = found.values[0]
    return toeplitz(values, length)


def _require(positions: int, length: int) -> None:
    if length > positions:
        raise HeadlightError(f"Only {positions:,} positions are held here, fewer than {length:,}: choose fewer.")
