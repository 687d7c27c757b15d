"""Frequencies in other words: angles, wavelengths and how many of them training has seen; and an ALiBi head's reach."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.positions.objects import Rotation

# A key at the end of a head's window keeps this share of the weight that it would have without the penalty.
KEPT = 0.01
# A share of an angle by which two that are meant to be the same may differ: frequencies of models are float32.
ROUNDING = 1e-6


def angles(rotation: Rotation, length: int) -> Tensor:
    """By what each pair is turned at each position: float64 (length, P) radians, not wrapped."""
    places = torch.arange(length, dtype=torch.float64, device=rotation.frequencies.device)
    return places[:, None] * rotation.frequencies.double()  # (T, 1) * (P,) -> (T, P)


def wavelengths(frequencies: Tensor) -> Tensor:
    """Positions that a whole turn takes: float64 (P,), infinite where the frequency is 0."""
    return 2 * math.pi / frequencies.double()


def unturned(frequencies: Tensor, trained: int) -> float:
    """Share of the pairs whose wavelength exceeds `trained` positions: in training they never completed a turn."""
    return float((wavelengths(frequencies) > trained).double().mean())


def unseen(plain: Tensor, frequencies: Tensor, trained: int, factor: float = 1.0) -> Tensor:
    """Which pairs reach angles in a text of `factor * trained` positions that training never showed: bool (P,).

    plain: radians a position (P,) in training; frequencies: those with which the longer text is read. A pair that
    completed a turn in training has shown every angle; another one only those up to its last position.
    """
    shown, reached = trained * plain.double(), factor * trained * frequencies.double()
    return (shown < 2 * math.pi) & (reached > shown * (1 + ROUNDING))


def window(slopes: Tensor) -> Tensor:
    """The distance at which an ALiBi bias is -ln 100, 4.6 / slope: float32 (H,), infinite where the slope is 0."""
    return (-math.log(KEPT) / slopes.double()).float()
