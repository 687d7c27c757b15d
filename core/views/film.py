"""Attention as it is learnt: the weights of one fixed example, frame after frame, for one run or two in step."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.alignment import Link, error_rate, links_of
from core.text.labels import bounded, visible
from core.views.alignment_words import sums_words
from core.views.export import READING, csv_bytes, guarded, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.runs import colour_of, dash_of, joined, run_words, stem_of

# A weight of 1 in the 16 bits in which weights travel.
WHOLE = 65_535
END = "</s>"


@dataclass(frozen=True)
class FilmPanel:
    """The frames of one run, as many as there are so far.

    rows        labels of the target tokens, the end last
    cols        labels of the source tokens
    steps       optimiser step of each frame, rising
    weights     (frames, rows, cols), between 0 and 1
    possible    gold links (row, column) that may be there; sure: those of them that must be
    errors      alignment error rate (AER) of each frame; None to have it worked out, see `errors_of`
    about       whose weights: network, layer and head, for the caption and above the panel
    growing     whether more frames are to come
    run         number of the run, from 0, which decides its colour; None for the panel's place among the panels
    Raises ValueError for frames that do not fit together.
    """

    label: str
    rows: Sequence[str]
    cols: Sequence[str]
    steps: Sequence[int]
    weights: np.ndarray
    possible: Collection[Link]
    sure: Collection[Link]
    errors: Sequence[float] | None = None
    about: str = ""
    growing: bool = False
    run: int | None = None

    def __post_init__(self) -> None:
        wanted = (len(self.steps), len(self.rows), len(self.cols))
        if self.weights.shape != wanted:
            raise ValueError(f"weights have the shape {self.weights.shape}, and steps and labels need {wanted}")
        if self.errors is not None and len(self.errors) != len(self.steps):
            raise ValueError(f"{len(self.errors)} error rates for {len(self.steps)} frames")
        if list(self.steps) != sorted(set(self.steps)):
            raise ValueError("the steps of a film rise from frame to frame")


def film_figure(panels: Sequence[FilmPanel], about: str = "") -> Figure:
    """The films of one run or two, side by side and in step. about: task and example, for the caption."""
    words = _caption(panels, about)
    stem = stem_of("film", (about, *(panel.label for panel in panels)))
    title = "Attention as it is learnt"
    errors = [errors_of(panel) for panel in panels]
    header: dict[str, Any] = {
        "figure": {"name": "film", "title": title, "caption": words, "stem": stem},
        "panels": [_panel_header(index, panel, errors[index]) for index, panel in enumerate(panels)],
    }
    return Figure(
        name="film",
        component="film",
        title=title,
        how_to="Each row is a token that the model produces and shows where in the source its weight lies; outlined in "
        "gold: the gold links, where it should lie. Drag the slider back in time, or play. Hover a cell for its exact "
        "weight.",
        payload=pack(header, {f"weights{index}": as_shares(panel.weights) for index, panel in enumerate(panels)}),
        caption=words,
        contents="The CSV table and the NumPy archive hold every weight of every frame in float32, with the tokens and "
        f"the gold links. {READING}",
        stem=stem,
        csv=lambda: _table(panels),
        npz=lambda: _archive(panels, errors, words),
    )


def as_shares(weights: np.ndarray) -> np.ndarray:
    """Weights in 16 bits, exact to five decimals; what is not a number becomes 0."""
    clipped = np.clip(np.nan_to_num(weights.astype(np.float64), nan=0.0), 0, 1)
    return np.rint(clipped * WHOLE).astype(np.uint16)


def errors_of(panel: FilmPanel) -> list[float]:
    """The alignment error rate of each frame, NaN where there is none.

    Rows without a gold link, such as that of the end, have no right answer and are left out. A row that looks most at
    the end of the source has no link.
    """
    if panel.errors is not None:
        return [float(error) for error in panel.errors]
    columns = [col for col, label in enumerate(panel.cols) if label != END]
    golden = {row for row, _ in panel.possible}
    found = []
    for weights in panel.weights:
        links = {link for link in links_of(weights, columns) if link[0] in golden}
        found.append(error_rate(links, panel.sure, panel.possible).error)
    return found


def _panel_header(index: int, panel: FilmPanel, errors: Sequence[float]) -> dict[str, Any]:
    number = index if panel.run is None else panel.run
    return {
        "label": panel.label,
        "about": panel.about,
        "colour": colour_of(number),
        "dash": dash_of(number),
        "rows": [bounded(visible(label)) for label in panel.rows],
        "cols": [bounded(visible(label)) for label in panel.cols],
        "steps": [int(step) for step in panel.steps],
        "possible": sorted([int(row), int(col)] for row, col in panel.possible),
        "sure": sorted([int(row), int(col)] for row, col in panel.sure),
        "errors": [float(error) if math.isfinite(error) else None for error in errors],
        "growing": panel.growing,
    }


def _caption(panels: Sequence[FilmPanel], about: str) -> str:
    gold = any(panel.possible for panel in panels)
    parts = [
        *(run_words(panel.label, panel.about) for panel in panels),
        about,
        *sorted({f"cross-attention over {len(p.rows)} × {len(p.cols)} tokens of one fixed example" for p in panels}),
        "read with teacher forcing, not used in training",
        "linear colour scale from 0 to a weight of 1",
        sums_words([panel.weights for panel in panels]),
        "gold links: where the weight should lie, which follows from how the task is made" if gold else "",
        "error rate: alignment error rate (AER) of each row's largest weight, rows without gold links left out"
        if gold
        else "",
        "with one gold link a row that is 1 minus the gold alignment of this example, as long as no row looks most at "
        f"{END}, which is no link"
        if panels and all(map(_has_one_link_a_row, panels))
        else "",
        _frames(panels),
    ]
    return joined(parts)


def _has_one_link_a_row(panel: FilmPanel) -> bool:
    rows = [row for row, _ in panel.possible]
    return panel.errors is None and bool(rows) and len(set(rows)) == len(rows) == len(set(panel.sure))


def _frames(panels: Sequence[FilmPanel]) -> str:
    steps = [step for panel in panels for step in panel.steps]
    if not steps:
        return ""
    counts = [f"{len(panel.steps):,} {'frame' if len(panel.steps) == 1 else 'frames'}" for panel in panels]
    many = " and ".join(counts) if len(set(counts)) > 1 else counts[0] + (" each" if len(counts) > 1 else "")
    return f"{many}, steps {min(steps):,} to {max(steps):,}" if len(set(steps)) > 1 else f"{many}, step {steps[0]:,}"


def _table(panels: Sequence[FilmPanel]) -> bytes:
    """One line a cell of a frame."""
    tables = [_cells(panel) for panel in panels]
    return csv_bytes({name: np.concatenate([table[name] for table in tables]) for name in tables[0]} if tables else {})


def _cells(panel: FilmPanel) -> dict[str, np.ndarray]:
    frame, row, col = np.indices(panel.weights.shape).reshape(3, -1)
    gold = np.full(panel.weights.shape[1:], "no", dtype=object)
    for name, links in (("possible", panel.possible), ("sure", panel.sure)):
        for link in links:
            gold[link] = name
    return {
        "panel": np.full(len(frame), guarded(panel.label), dtype=object),
        "step": np.array(panel.steps, np.int64)[frame],
        "row": row,
        "row_token": label_column(panel.rows, row),
        "column": col,
        "column_token": label_column(panel.cols, col),
        "weight": panel.weights.astype(np.float32).ravel(),
        "gold": gold[row, col],
    }


def _archive(panels: Sequence[FilmPanel], errors: Sequence[Sequence[float]], words: str) -> bytes:
    """Arrays of each panel, its number at the end of their names."""
    arrays: dict[str, np.ndarray] = {"labels": label_array([panel.label for panel in panels])}
    for number, (panel, rates) in enumerate(zip(panels, errors, strict=True), 1):
        arrays |= {
            f"weights_{number}": panel.weights.astype(np.float32),
            f"steps_{number}": np.array(panel.steps, np.int64),
            f"rows_{number}": label_array(panel.rows),
            f"columns_{number}": label_array(panel.cols),
            f"possible_{number}": _links(panel.possible),
            f"sure_{number}": _links(panel.sure),
            f"error_rate_{number}": np.array(rates, np.float64),
        }
    return npz_bytes(arrays, words)


def _links(links: Collection[Link]) -> np.ndarray:
    """(links, 2): row and column of each."""
    return np.array(sorted(links), np.int64).reshape(-1, 2)
