"""The path that a table of positions takes through its space, and how fast it swings."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.objects import Table

AXES = 3


@dataclass(frozen=True, eq=False)
class Path:
    """A table in its first three principal components.

    coordinates  float32 (T, 3), of the centred rows
    explained    float32 (3,), shares of the variance, falling; 0 of components that there are none of
    """

    coordinates: Tensor
    explained: Tensor


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the variance of a table along its positions is spread over frequencies.

    cycles  float64 (N,) a position, from 1 / T to at most 1/2
    power   float32 (N,), mean over the columns, sums to 1; zeros where all rows are equal
    """

    cycles: Tensor
    power: Tensor


def path(table: Table) -> Path:
    """Principal components of the rows. Of each axis, the largest entry by size is positive, so that signs are fixed.

    Raises HeadlightError where the table holds numbers that are not finite.
    """
    rows = _centred(table)  # (T, D)
    tall = rows.shape[0] >= rows.shape[1]
    gram = rows.T @ rows if tall else rows @ rows.T  # (K, K), K = min(T, D): the smaller one has the same eigenvalues
    values, vectors = torch.linalg.eigh(gram)  # rising
    count = min(AXES, len(values))
    values, vectors = values.flip(0)[:count].clamp(min=0), vectors.flip(1)[:, :count]  # (A,), (K, A)
    places = rows @ vectors if tall else vectors * values.sqrt()  # (T, A)
    total = rows.square().sum()
    signs = places.gather(0, places.abs().argmax(0, keepdim=True)).sign()  # (1, A)
    coordinates, explained = rows.new_zeros(len(rows), AXES), rows.new_zeros(AXES)
    coordinates[:, :count] = places * signs
    if total > 0:
        explained[:count] = values / total
    return Path(coordinates.float(), explained.float())


def spectrum(table: Table) -> Spectrum:
    """Power of each frequency along the positions, from which each column's mean is taken off before.

    Raises HeadlightError for fewer than two positions, and for numbers that are not finite.
    """
    rows = _centred(table)  # (T, D)
    length = len(rows)
    if length < 2:
        raise HeadlightError("A spectrum needs two positions at least: choose a greater length.")
    power = torch.fft.rfft(rows, dim=0)[1:].abs().square().mean(-1)  # (T, D) -> (N,)
    # A frequency below one half stands for its negative, too; one half is its own.
    power[: (length - 1) // 2] *= 2
    total = power.sum()
    return Spectrum(
        torch.fft.rfftfreq(length, dtype=torch.float64)[1:], (power / total if total > 0 else power).float()
    )


def _centred(table: Table) -> Tensor:
    rows = table.values.double().cpu()
    if not bool(rows.isfinite().all()):
        raise HeadlightError("The table of positions holds numbers that are not finite: open another model.")
    return rows - rows.mean(0)
