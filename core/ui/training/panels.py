"""Runs as the figures of `core.views` want them: panels of the film, curves, accuracy by length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.training.history import Record
from core.ui.training.runs import Run
from core.views import Figure, FilmPanel, RunCurves, curves_figure, film_figure, lengths_figure

END = "</s>"
LONGER = (
    "The shaded length is longer than any in training. There a network with attention fails, too: it has learnt where "
    "to look only at the places and ends that it has met. Trained on such lengths, it learns them as well."
)


@dataclass(frozen=True)
class HeadChoice:
    """Which attention a film shows: a layer, None for the last one, and a head, None for the mean over heads."""

    layer: int | None = None
    head: int | None = None


def film(runs: Sequence[Run], records: Sequence[Record], choice: HeadChoice) -> Figure | None:
    """The film of the runs that attend; None where none of them does."""
    names = names_of(runs)
    panels = [
        _panel(run, place, names[run.number], record, choice)
        for place, (run, record) in enumerate(zip(runs, records, strict=True))
        if run.recipe.settings.attends
    ]
    return film_figure(panels, _about(runs)) if panels else None


def curves(runs: Sequence[Run], records: Sequence[Record]) -> Figure:
    """The course of the runs."""
    names = names_of(runs)
    drawn = [_curves(run, names[run.number], record) for run, record in zip(runs, records, strict=True)]
    return curves_figure(drawn, _about(runs))


def lengths(runs: Sequence[Run]) -> Figure | None:
    """Accuracy by source length of the runs that were tested; None where there is none, or only one length."""
    tested = [run for run in runs if len(run.lesson.lengths) > 1]
    if not tested:
        return None
    longest = max((run.recipe.toy.lengths or (0, 0))[1] for run in tested)
    names = names_of(runs)
    found = [(names[run.number], run.lesson.lengths if run in tested else {}) for run in runs]
    return lengths_figure(found, longest, _about(tested))


def longer_words(runs: Sequence[Run]) -> str:
    """Why sources longer than any in training go wrong, where they do; "" where they do not."""
    return LONGER if any(_falls(run) for run in runs) else ""


def _falls(run: Run) -> bool:
    """Whether it does clearly worse on the unseen length than on the longest of the others."""
    tested = {length: each.token_accuracy for length, each in run.lesson.lengths.items()}
    unseen = tested.pop(run.recipe.toy.unseen or 0, None)
    return unseen is not None and bool(tested) and unseen < tested[max(tested)] - 0.1


def names_of(runs: Sequence[Run]) -> dict[int, str]:
    """What each run is called in the figures, by its number.

    The task goes along where there are several, and the number where two are still called the same.
    """
    several = len({run.recipe.task for run in runs}) > 1
    labels = [f"{run.recipe.toy.title}: {run.label}" if several else run.label for run in runs]
    return {
        run.number: label if labels.count(label) == 1 else f"{label}, run {run.number}"
        for run, label in zip(runs, labels, strict=True)
    }


def _panel(run: Run, place: int, label: str, record: Record, choice: HeadChoice) -> FilmPanel:
    shown = run.recipe.toy.shown
    rows, cols = labels_of(shown.target), labels_of(shown.source)
    frames = [_frame(snapshot.weights, choice) for snapshot in record.snapshots]
    # (N, T, S), also of no frame
    weights = np.stack(frames) if frames else np.zeros((0, len(rows), len(cols)), np.float32)
    return FilmPanel(
        label=label,
        rows=rows,
        cols=cols,
        steps=[snapshot.step for snapshot in record.snapshots],
        weights=weights,
        possible=frozenset(shown.possible),
        sure=frozenset(shown.sure),
        about=_which(run, choice),
        growing=not run.ended,
        run=place,
    )


def labels_of(text: str) -> tuple[str, ...]:
    """The labels of a text's rows or columns: its characters, spaces so that they are seen, and the end."""
    return (*text.replace(" ", "␣"), END)


def _frame(weights: np.ndarray, choice: HeadChoice) -> np.ndarray:
    """(L, H, T, S) -> (T, S): one head, or the mean over heads; the last layer or head where there are fewer."""
    layers, heads = weights.shape[:2]
    layer = weights[layers - 1 if choice.layer is None else min(choice.layer, layers - 1)]
    if choice.head is None:
        return layer.astype(np.float32).mean(axis=0)
    return np.asarray(layer[min(choice.head, heads - 1)])


def _which(run: Run, choice: HeadChoice) -> str:
    """Which of a network's attentions that is, in words; "" where it has only one."""
    settings = run.recipe.settings
    if not settings.is_transformer:
        return ""
    last = settings.layers - 1
    layer = last if choice.layer is None else min(choice.layer, last)
    if settings.heads == 1:
        return f"layer {layer}"
    head = "mean over heads" if choice.head is None else f"head {min(choice.head, settings.heads - 1)}"
    return f"layer {layer}, {head}"


def _curves(run: Run, label: str, record: Record) -> RunCurves:
    steps = record.steps
    note = f"ended at step {len(steps):,}" if run.state == "failed" else ""
    return RunCurves(
        label=label,
        steps=[report.step for report in steps],
        loss=[report.loss for report in steps],
        learning_rate=[report.learning_rate for report in steps],
        gradient_norm=[report.gradient_norm for report in steps],
        evaluations=record.evaluations,
        note=note,
        total=run.recipe.options.steps,
        burdens=_burdens(run),
    )


def _burdens(run: Run) -> tuple[str, ...]:
    """What makes the training loss of a run higher than that of the same network at rest."""
    shares = {
        "dropout": run.recipe.settings.dropout,
        "word dropout": run.recipe.options.word_dropout,
        "label smoothing": run.recipe.options.label_smoothing,
    }
    return tuple(name for name, share in shares.items() if share)


def _about(runs: Sequence[Run]) -> str:
    titles = list(dict.fromkeys(run.recipe.toy.title for run in runs))
    return f"{' and '.join(titles)} {'task' if len(titles) == 1 else 'tasks'}" if titles else ""
