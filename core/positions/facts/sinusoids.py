"""Whether a table that a model holds consists of sinusoids, and of which: its numbers tell, whatever its class says."""

from __future__ import annotations

import torch
from torch import Tensor

from core.positions.sinusoidal import frequencies

# A share of a column's size: rounding to bfloat16 costs less.
_ROUNDING = 0.02
# Rows that are looked at: a table may be very long.
_ENOUGH = 512
APART, IN_TURN = "sines, then cosines", "sines and cosines in turn"


def is_sinusoidal(values: Tensor) -> bool:
    """Whether every column of (T, D) oscillates with one frequency: x[p + 1] + x[p - 1] = 2 cos(w) x[p]."""
    values = values[:_ENOUGH]
    if len(values) < 4 or not values.any() or not bool(torch.isfinite(values).all()):
        return False
    middle = values[1:-1].double()  # (T - 2, D)
    around = values[2:].double() + values[:-2].double()
    twice_cosine = (around * middle).sum(0) / (middle**2).sum(0).clamp(min=1e-30)  # (D,)
    rest = around - twice_cosine * middle
    return bool(rest.square().sum() <= _ROUNDING**2 * around.square().sum())


def sinusoids_of(values: Tensor, first: int) -> tuple[Tensor, str] | None:
    """Frequencies (P,) of a table of sinusoids and APART or IN_TURN, None where neither usual formula gives it.

    first: what the formula is asked for at row 0. The library has the paper's frequencies, and those of its authors'
    code, tensor2tensor, which spreads the pairs so that the last one has exactly the wavelength 2π · 10,000.
    """
    values = values[:_ENOUGH]
    width = values.shape[1]
    places = torch.arange(first, first + len(values), dtype=torch.float64)  # (T,)
    paper = frequencies(width, like=places)  # (P,)
    pairs = len(paper)
    spread = torch.arange(pairs, dtype=torch.float64) / max(pairs - 1, 1)
    for found in (paper, 10_000.0**-spread):
        angles = places[:, None] * found  # (T, P)
        apart = torch.cat([angles.sin(), angles.cos()], dim=1)[:, :width]
        in_turn = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]
        for order, expected in ((APART, apart), (IN_TURN, in_turn)):
            # float32 angles of far positions are off by their rounding, bfloat16 values by theirs.
            if float((expected - values).abs().mean()) < 0.005:
                return found, order
    return None
