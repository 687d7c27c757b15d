"""The course of one or two training runs: loss, learning rate, gradient norm and accuracy over optimiser steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.views.curves_drawing import MOST_POINTS, curves_plot
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.runs import (
    ACCURACY_WORDS,
    ALIGNMENT_WORDS,
    DEVELOPMENT,
    EvaluationLike,
    joined,
    run_words,
    stem_of,
)


@dataclass(frozen=True)
class RunCurves:
    """One run, as long as it is so far; the four sequences of training have one value a step.

    loss            mean over the target tokens of the step, in nats
    gradient_norm   Euclidean, over all parameters, before clipping
    evaluations     what the development examples told, in the order of their steps
    about           network and settings, for the caption
    note            what befell the run, such as "not a number at step 120", told in the figure; "" for nothing
    total           steps that the run will have, so that its curves grow into a room that stays; None where unknown
    burdens         what makes training alone harder, such as dropout, for the caption
    """

    label: str
    steps: Sequence[int]
    loss: Sequence[float]
    learning_rate: Sequence[float]
    gradient_norm: Sequence[float]
    evaluations: Sequence[EvaluationLike]
    about: str = ""
    note: str = ""
    total: int | None = None
    burdens: Sequence[str] = ()


def curves_figure(runs: Sequence[RunCurves], about: str = "") -> Figure:
    """The course of the runs, of which there can be none yet. about: task and data, for the caption."""
    words = _caption(runs, about)
    return from_plotly(
        name="curves",
        title="Loss, learning rate, gradient norm and accuracy",
        how_to="One point an optimiser step. Hover for exact values, drag to zoom, double-click to see everything "
        "again. Development examples are never trained on.",
        figure=curves_plot(runs),
        caption=words,
        contents="The CSV table and the NumPy archive hold every optimiser step of every run, and what the development "
        "examples told.",
        stem=stem_of("curves", (about, *(run.label for run in runs))),
        csv=lambda: _table(runs),
        npz=lambda: _archive(runs, words),
    )


def _caption(runs: Sequence[RunCurves], about: str) -> str:
    evaluated = any(run.evaluations for run in runs)
    parts = [
        *(run_words(run.label, run.about) for run in runs),
        about,
        "training loss: mean over the target tokens of one step, in nats" if any(run.steps for run in runs) else "",
        *_burden_words(runs),
        f"{DEVELOPMENT} · {ACCURACY_WORDS}" if evaluated else "",
        ALIGNMENT_WORDS if any(e.alignment is not None for run in runs for e in run.evaluations) else "",
        f"drawn with at most {MOST_POINTS} points a curve, extremes kept"
        if any(len(run.steps) > MOST_POINTS for run in runs)
        else "",
        *(f"{run.label}: {run.note}" for run in runs if run.note),
    ]
    return joined(parts)


def _burden_words(runs: Sequence[RunCurves]) -> list[str]:
    """Why training losses lie higher: once for all runs where that is so for all, else for each that it holds of."""
    if len({tuple(run.burdens) for run in runs}) == 1:
        return [_burdens(runs[0])]
    return [run_words(run.label, _burdens(run)) for run in runs if run.burdens]


def _burdens(run: RunCurves) -> str:
    if not run.burdens:
        return ""
    verb = "acts" if len(run.burdens) == 1 else "act"
    return f"{' and '.join(run.burdens)} {verb} in training alone, so the training loss lies above the development loss"


def _table(runs: Sequence[RunCurves]) -> bytes:
    """One line a step of a run; a step without training, such as the evaluation before the first, has a line too."""
    rows: list[dict[str, Any]] = []
    for run in runs:
        lines: dict[int, dict[str, Any]] = {}
        training = zip(run.steps, run.loss, run.learning_rate, run.gradient_norm, strict=True)
        for step, loss, rate, norm in training:
            lines[step] = {"training_loss": loss, "learning_rate": rate, "gradient_norm": norm}
        for test in run.evaluations:
            lines.setdefault(test.step, {}).update(
                development_loss=test.loss,
                token_accuracy=test.token_accuracy,
                sequence_accuracy=test.sequence_accuracy,
                gold_alignment=test.alignment,
            )
        rows += [{"run": guarded(run.label), "step": step, **lines[step]} for step in sorted(lines)]
    names = (
        "run", "step", "training_loss", "learning_rate", "gradient_norm",
        "development_loss", "token_accuracy", "sequence_accuracy", "gold_alignment",
    )  # fmt: skip
    return csv_bytes({name: [row.get(name) for row in rows] for name in names})


def _archive(runs: Sequence[RunCurves], words: str) -> bytes:
    """Arrays of each run, its number at the end of their names."""
    arrays: dict[str, np.ndarray] = {"labels": np.array([run.label for run in runs], np.str_)}
    for number, run in enumerate(runs, 1):
        tests = run.evaluations
        columns: dict[str, Any] = {
            "steps": np.array(run.steps, np.int64),
            "loss": np.array(run.loss, np.float64),
            "learning_rate": np.array(run.learning_rate, np.float64),
            "gradient_norm": np.array(run.gradient_norm, np.float64),
            "development_steps": np.array([test.step for test in tests], np.int64),
            "development_loss": np.array([test.loss for test in tests], np.float64),
            "token_accuracy": np.array([test.token_accuracy for test in tests], np.float64),
            "sequence_accuracy": np.array([test.sequence_accuracy for test in tests], np.float64),
            "gold_alignment": np.array([math.nan if e.alignment is None else e.alignment for e in tests], np.float64),
        }
        arrays |= {f"{name}_{number}": column for name, column in columns.items()}
    return npz_bytes(arrays, words)
