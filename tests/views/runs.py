"""Runs for the figures of training: short, of known numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.views import FilmPanel, RunCurves


@dataclass(frozen=True)
class Told:
    """What the development examples told."""

    step: int
    loss: float
    token_accuracy: float
    sequence_accuracy: float
    alignment: float | None


def told(step: int, alignment: float | None = 0.5) -> Told:
    """An evaluation of round numbers."""
    return Told(step, 2.0, 0.75, 0.25, alignment)


def run_of(steps: int, label: str = "run 1", **fields: Any) -> RunCurves:
    """A run whose loss falls from 3 and whose norm is 1 at every step, evaluated before the first step and after 2."""
    every = list(range(1, steps + 1))
    loss = [3 / step for step in every]
    evaluations = [told(step) for step in (0, 2) if step <= steps]
    return replace(RunCurves(label, every, loss, [1e-3] * steps, [1.0] * steps, evaluations), **fields)


def panel_of(steps: Sequence[int], label: str = "run 1", **fields: Any) -> FilmPanel:
    """A film of "abc" reversed: uniform at first, in the last frame all weight on the gold link."""
    rows, cols = ("c", "b", "a", "</s>"), ("a", "b", "c", "</s>")
    gold = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], np.float64)
    learnt = np.linspace(0, 1, len(steps)) if len(steps) > 1 else np.zeros(len(steps))
    weights = learnt[:, None, None] * gold + (1 - learnt[:, None, None]) / 4  # (N, 1, 1) * (T, S) -> (N, T, S)
    links = frozenset({(0, 2), (1, 1), (2, 0)})
    return replace(FilmPanel(label, rows, cols, steps, weights, links, links), **fields)
