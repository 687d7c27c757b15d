"""The words of a text coloured by one method or many: a row of words a method, word under word, numbers exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.text.labels import bounded, visible
from core.views.export import READING, csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import asked_words, drawn_words, methods_words, missed_by, target_words
from core.views.scales import SCALES

if TYPE_CHECKING:
    from core.saliency import Question, Scores

PENDING, REFUSED, SCORED = "pending", "refused", "scored"


@dataclass(frozen=True, eq=False)
class SaliencyRow:
    """One method's row. scores: None while they are computed, or where `refused`, a sentence, says why there are none.

    title, family: of the method, as the menu names them.
    """

    name: str
    title: str
    family: str
    scores: Scores | None = None
    refused: str = ""

    @property
    def state(self) -> str:
        """Whether the row has scores, is waited for, or was refused."""
        return SCORED if self.scores is not None else REFUSED if self.refused else PENDING


@dataclass(frozen=True, eq=False)
class SaliencyRows:
    """What the figure shows: one text, one explained number, and a row for each method in the order of the page.

    model   its name
    target  what is explained, in words
    labels  the scored words or tokens in reading order
    by      "word" or "token"
    left_out  tokens of the reading that are in no group: special ones and padding
    picked  the number of the word that is marked in all rows
    Raises ValueError for scores of other words.
    """

    model: str
    target: str
    labels: tuple[str, ...]
    by: str
    rows: tuple[SaliencyRow, ...]
    left_out: int = 0
    picked: int | None = None

    def __post_init__(self) -> None:
        for row in self.rows:
            if row.scores is not None and len(row.scores.values) != len(self.labels):
                raise ValueError(f"{row.name} has {len(row.scores.values)} scores for {len(self.labels)} {self.by}s")


def rows_of(
    question: Question, names: Sequence[str], ready: Mapping[str, Any], picked: int | None = None
) -> SaliencyRows:
    """The rows of these methods; ready: `Scores` or `Refused` by name, the others are still computed."""
    from core.saliency import METHODS

    rows = []
    for name in names:
        method, result = METHODS[name], ready.get(name)
        sentence = str(getattr(result, "sentence", ""))
        scores = None if sentence else result
        rows.append(SaliencyRow(name, method.title, method.family, scores, sentence))
    return SaliencyRows(
        model=question.model.name,
        target=target_words(question.target),
        labels=tuple(question.labels),
        by=question.by,
        rows=tuple(rows),
        left_out=len(question.tokens) - sum(map(len, question.groups)),
        picked=picked,
    )


def words_figure(rows: SaliencyRows, scale: str = "linear") -> Figure:
    """The words under each method; a click on one fires the trigger "pick" with {group}, None to take it back.

    Each row is scaled by its own largest magnitude: on the sequential ramp without a sign, diverging around 0 with one.
    scale: a name of `SCALES`, applied to magnitudes.
    """
    scored = [row for row in rows.rows if row.scores is not None]
    caption = _caption(rows, scale)
    title, stem = "Words by method", stem_of("saliency", (rows.model, rows.target))
    header: dict[str, Any] = {
        "figure": {"name": "saliency", "title": title, "caption": caption, "stem": stem},
        "labels": [bounded(visible(label)) for label in rows.labels],
        "by": rows.by,
        "picked": rows.picked,
        "scale": scale,
        "rows": [_row_header(row) for row in rows.rows],
    }
    arrays = {"values": _stacked(scored, len(rows.labels)).astype(np.float32)}
    for number, row in enumerate(scored):
        if row.scores is not None and row.scores.error is not None:
            arrays[f"error{number}"] = row.scores.error.astype(np.float32)
    return Figure(
        name="saliency",
        component="saliency",
        title=title,
        how_to=f"Each row is a method, each column a {rows.by}. Compare along a row: every row has its own scale. "
        f"Hover a {rows.by} for its number, click it to mark it in all rows, or step with the arrow keys and Enter.",
        payload=pack(header, arrays),
        caption=caption,
        contents="The CSV table and the NumPy archive hold every score in float64 and its standard error where the "
        f"method samples. {READING}",
        stem=stem,
        csv=lambda: _table(rows),
        npz=lambda: _archive(rows, caption),
    )


def _row_header(row: SaliencyRow) -> dict[str, Any]:
    scores = row.scores
    return {
        "name": row.name,
        "title": row.title,
        "family": row.family,
        "state": row.state,
        "refused": row.refused,
        "signed": bool(scores and scores.signed),
        "class_specific": bool(scores and scores.class_specific),
        "additive": bool(scores and scores.additive),
        "error": bool(scores and scores.error is not None),
        "how": joined(asked_words(scores)) if scores else "",
        "top": _largest(scores),
    }


def _largest(scores: Scores | None) -> float:
    return float(np.abs(scores.values).max(initial=0.0)) if scores is not None else 0.0


def _caption(rows: SaliencyRows, scale: str) -> str:
    scored = [row.scores for row in rows.rows if row.scores is not None]
    counts = {state: sum(row.state == state for row in rows.rows) for state in (PENDING, REFUSED)}
    signed = any(scores.signed for scores in scored)
    unsigned = any(not scores.signed for scores in scored)
    tokens = "token has" if rows.left_out == 1 else "tokens have"
    left_out = f"{rows.left_out} special or padding {tokens} no score" if rows.left_out else ""
    how_scaled = "each row's colours run up to its own largest magnitude, so compare along a row, not down a column"
    return joined(
        [
            rows.model,
            f"explained: {rows.target}" if rows.target else "",
            *methods_words(scored),
            f"{len(rows.labels)} {rows.by}{'' if len(rows.labels) == 1 else 's'}",
            left_out,
            f"{SCALES[scale].name}; {how_scaled}" if scored else "",
            "one colour: without a sign" if unsigned else "",
            "two colours: violet speaks for the target, orange against it, 0 has none" if signed else "",
            drawn_words(scored),
            missed_by(scored),
            f"{counts[PENDING]} still computed" if counts[PENDING] else "",
            f"{counts[REFUSED]} not applicable" if counts[REFUSED] else "",
            "no method here is proof of what the model used" if scored else "",
        ]
    )


def _stacked(rows: Sequence[SaliencyRow], count: int) -> np.ndarray:
    values = [row.scores.values for row in rows if row.scores is not None]
    return np.stack(values).astype(np.float64) if values else np.zeros((0, count))


def _table(rows: SaliencyRows) -> bytes:
    """One line a method and word."""
    columns: dict[str, list[object]] = {}
    for row in rows.rows:
        if row.scores is None:
            continue
        for group, (label, value) in enumerate(zip(rows.labels, row.scores.values, strict=True)):
            told = _line(rows, row, row.scores, group, label, float(value))
            for name, cell in told.items():
                columns.setdefault(name, []).append(cell)
    return csv_bytes(columns or {"model": [], "method": [], "score": []})


def _line(
    rows: SaliencyRows, row: SaliencyRow, scores: Scores, group: int, label: str, value: float
) -> dict[str, object]:
    return {
        "model": guarded(rows.model),
        "target": guarded(rows.target),
        "method": row.name,
        "family": row.family,
        "scalar": scores.scalar,
        "baseline": scores.baseline,
        "aggregation": scores.aggregation,
        "signed": scores.signed,
        "group": group,
        rows.by: guarded(label),
        "tokens": " ".join(map(str, scores.groups[group])),
        "score": value,
        "standard_error": "" if scores.error is None else float(scores.error[group]),
    }


def _archive(rows: SaliencyRows, caption: str) -> bytes:
    """Scores (methods, groups) in float64; standard errors where a method has them, NaN in the other rows."""
    scored = [row for row in rows.rows if row.scores is not None]
    values = _stacked(scored, len(rows.labels))
    errors = np.full_like(values, np.nan)
    for number, row in enumerate(scored):
        if row.scores is not None and row.scores.error is not None:
            errors[number] = row.scores.error
    return npz_bytes(
        {
            "scores": values,
            "standard_errors": errors,
            "methods": label_array([row.name for row in scored]),
            "labels": label_array(rows.labels),
            "signed": np.array([row.scores.signed for row in scored if row.scores is not None], bool),
        },
        caption,
    )
