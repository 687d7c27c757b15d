"""The path that a table of positions takes through its space, and how fast it swings."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.positions.objects import Table

AXES = 3
# Multiples of the median distance from the mean.
FAR = 3.0
# Sizes that differ by less of themselves are one size: coordinates are float32.
EQUAL = 1e-6


@dataclass(frozen=True, eq=False)
class Path:
    """A table in its first three principal components.

    coordinates  float32 (T, 3), of the rows less the mean of those that are not far
    explained    float32 (3,), shares of the variance without far rows, falling
    distances    float32 (T,) from the mean of all rows, as multiples of their median; zeros where that is 0
    far          bool (T,), rows beyond FAR such multiples: few of them would be all that the components show

    Of a component that the rows do not have, coordinates and share are 0.
    """

    coordinates: Tensor
    explained: Tensor
    distances: Tensor
    far: Tensor


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the variance of a table along its positions is spread over frequencies.

    cycles  float64 (N,) a position, from 1 / T to at most 1/2
    power   float32 (N,), mean over the columns, sums to 1; zeros where all rows are equal
    """

    cycles: Tensor
    power: Tensor


def path(table: Table) -> Path:
    """Principal components of the rows that are not far from the others; the far ones have places on them, too.

    Of each axis, the largest entry by size among the rows that are not far, the first of them, is positive, so that
    signs are fixed.
    Raises HeadlightError where the table holds numbers that are not finite.
    """
    rows = _centred(table)  # (T, D)
    distances = _in_medians(rows.norm(dim=-1))  # (T, D) -> (T,)
    far = distances > FAR
    near = rows[~far]  # (N, D)
    middle = near.mean(0)
    near = near - middle
    gram = near.T @ near if _is_tall(near) else near @ near.T  # (K, K), K = min(N, D): both have the same eigenvalues
    values, vectors = components(near, *torch.linalg.eigh(gram))  # (A,), (D, A)
    count = len(values)
    places = near @ vectors  # (N, D) @ (D, A) -> (N, A)
    total = near.square().sum()
    sizes = places.abs()
    largest = (sizes >= sizes.amax(0) * (1 - EQUAL)).int().argmax(0, keepdim=True)  # (N, A) -> (1, A)
    signs = places.gather(0, largest).sign()  # (1, A)
    coordinates, explained = rows.new_zeros(len(rows), AXES), rows.new_zeros(AXES)
    coordinates[:, :count] = (rows - middle) @ vectors * signs  # (T, D) @ (D, A) -> (T, A)
    if total > 0:
        explained[:count] = values / total
    return Path(coordinates.float(), explained.float(), distances.float(), far)


def components(near: Tensor, values: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
    """The first principal components of rows with mean 0, A <= 3 of them, by falling variance: (A,), (D, A).

    near: (N, D); values (K,) and vectors (K, K): eigenvalues, rising, of the smaller of its two Gram matrices. Each is
    off by some eps of the largest, up or down: what such an error could have made is no component, and both are 0.
    """
    count = min(AXES, len(values))
    values, vectors = values.flip(0)[:count], vectors.flip(1)[:, :count]  # (A,), (K, A)
    there = values > max(near.shape) * torch.finfo(values.dtype).eps * values[:1]
    values, vectors = values * there, vectors * there
    if not _is_tall(near):
        vectors = near.T @ vectors / values.sqrt().where(there, 1.0)  # (D, N) @ (N, A) -> (D, A)
    return values, vectors


def _is_tall(near: Tensor) -> bool:
    return near.shape[0] >= near.shape[1]


def _in_medians(distances: Tensor) -> Tensor:
    """Zeros where most rows stand at the mean: what is there as the median is an error of the mean."""
    noise = len(distances) * torch.finfo(distances.dtype).eps * distances.max()
    median = distances.median()
    return distances / median if median > noise else torch.zeros_like(distances)


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
    # Rows that are all equal become zeros by this, while their mean may be off in its last place.
    rows = rows - rows[:1]
    return rows - rows.mean(0)
