"""Where each word of a translation looks in the source: the matrices of up to four models side by side, one scale."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.text.labels import bounded, visible
from core.views.alignment_words import READS, judged_words, outcome_words, panel_words, sums_words, verdict_words
from core.views.export import READING, csv_bytes, guarded, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.runs import joined, run_words, stem_of
from core.views.scales import SPANS, scale_words

if TYPE_CHECKING:
    from core.alignment import Judged, Link
    from core.capture import WordWeights

NO_LINKS: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class AlignedPanel:
    """One model's part of the figure.

    label        the model's name
    about        whose weights: layer and head or mean over them, for the caption and beside the name
    words        the weights; None for a model that has no attention, whose translation and note are shown
    translation  what the model wrote, or was made to write
    judged       the attention's links beside the gold ones; None without gold, which is then not outlined
    note         a sentence on this panel, such as why there is no matrix
    """

    label: str
    about: str
    words: WordWeights | None
    translation: str
    judged: Judged | None = None
    note: str = ""


def alignment_figure(
    aligned: Sequence[AlignedPanel],
    sure: Collection[Link] = NO_LINKS,
    possible: Collection[Link] = NO_LINKS,
    reads: str = "output",
    about: str = "",
    scale: str = "linear",
    span: str = "one",
) -> Figure:
    """Target × source of each model, read row by row.

    sure, possible: gold links (target place, source place) among the words that are no special tokens, outlined in the
    panels that were judged by them; reads: "output" or "input", how the rows were put to words, see
    `core.capture.word_weights`; about: sentence and direction, for the caption; scale: a name of `SCALES`; span: "one"
    for colours up to a weight of 1, "all" up to the largest weight of all panels.
    """
    shown = [panel.words for panel in aligned if panel.words is not None]
    top = 1.0 if span == "one" else max((float(words.weights.max(initial=0.0)) for words in shown), default=1.0)
    top_words = SPANS["one"] if span == "one" else f"{top:.3g}, the largest weight of all panels"
    caption = _caption(aligned, shown, possible, reads, about, scale_words(scale, top_words))
    gold = [_gold(panel, sure, possible) for panel in aligned]
    title, stem = "Word alignment", stem_of("alignment", (about, *(panel.label for panel in aligned)))
    header: dict[str, Any] = {
        "figure": {"name": "alignment", "title": title, "caption": caption, "stem": stem},
        "scale": scale,
        "span": "one",
        "max": top,
        "panels": [_panel_header(panel, links, reads) for panel, links in zip(aligned, gold, strict=True)],
    }
    arrays = {
        f"weights{i}": panel.words.weights.astype(np.float32)
        for i, panel in enumerate(aligned)
        if panel.words is not None
    }
    return Figure(
        name="alignment",
        component="alignment",
        title=title,
        how_to="Each row is a word of the translation and shows on which words of the source its attention weight "
        "lies. Outlined in gold: the words that belong together, solid where that is sure, dashed where it is "
        "possible. Hover a cell for its exact weight, or read the cells with the arrow keys.",
        payload=pack(header, arrays),
        caption=caption,
        contents="The CSV table and the NumPy archive hold every weight in float32, with the words and the gold links. "
        f"{READING}",
        stem=stem,
        csv=lambda: _table(aligned, gold),
        npz=lambda: _archive(aligned, gold, caption),
    )


def _caption(
    aligned: Sequence[AlignedPanel],
    shown: Sequence[WordWeights],
    possible: Collection[Link],
    reads: str,
    about: str,
    scaled: str,
) -> str:
    judged = [panel for panel in aligned if panel.judged is not None]
    return joined(
        [
            *(run_words(panel.label, panel_words(panel.about, panel.words)) for panel in aligned),
            about,
            READS[reads] if shown else "",
            "tokens merged to words: columns summed, rows averaged" if shown else "",
            scaled if shown else "",
            sums_words([words.weights for words in shown]),
            f"gold links: {len(set(possible))} pairs of words that belong together" if judged and possible else "",
            "precision: share of the links, each row's largest weight, that are gold; recall: share of the sure gold "
            "links that are found; AER: alignment error rate, 0 is best"
            if judged
            else "",
            "diagonal: what links by place in the sentence alone would score" if judged else "",
        ]
    )


def _gold(panel: AlignedPanel, sure: Collection[Link], possible: Collection[Link]) -> dict[Link, str]:
    """The gold links among a panel's rows and columns, "sure" or "possible" by (row, column)."""
    if panel.words is None or not _is_judged(panel):
        return {}
    rows = _own_places(len(panel.words.rows), panel.words.end_rows)
    columns = _own_places(len(panel.words.columns), panel.words.end_columns)
    return {
        (rows[row], columns[column]): "sure" if (row, column) in sure else "possible"
        for row, column in sorted({*sure, *possible})
        if row < len(rows) and column < len(columns)
    }


def _is_judged(panel: AlignedPanel) -> bool:
    """Whether gold links are known of a panel's weights."""
    return panel.words is not None and panel.judged is not None


def _own_places(count: int, ends: Collection[int]) -> list[int]:
    """Where the words that are no special tokens stand."""
    return [place for place in range(count) if place not in ends]


def _panel_header(panel: AlignedPanel, gold: dict[Link, str], reads: str) -> dict[str, Any]:
    words, judged = panel.words, panel.judged
    # The row of a decoder that is read with the input was fed with the token that the row before it produced.
    lag = 1 if reads == "input" else 0
    return {
        "label": panel.label,
        "about": panel.about or ("" if words else "no attention"),
        "translation": panel.translation,
        "note": panel.note,
        "matrix": words is not None,
        "rows": [bounded(visible(label)) for label in words.rows] if words else [],
        "cols": [bounded(visible(label)) for label in words.columns] if words else [],
        "tokens": [[row - lag for row in rows] for rows in words.row_tokens] if words else [],
        "possible": [list(link) for link in gold],
        "sure": [list(link) for link, kind in gold.items() if kind == "sure"],
        "scores": judged_words(judged) if judged else [],
        "verdict": verdict_words(judged) if judged else "",
        "outcome": outcome_words(judged) if judged else "",
    }


def _table(aligned: Sequence[AlignedPanel], gold: Sequence[dict[Link, str]]) -> bytes:
    """One line a cell; a model without attention has one line, with its translation alone.

    gold: "sure", "possible" or "no"; "unknown" in a panel that was not judged, and no column where none was.
    """
    tables = [_cells(panel, links) for panel, links in zip(aligned, gold, strict=True)]
    names = [name for name in (tables[0] if tables else ()) if name != "gold" or any(_is_judged(e) for e in aligned)]
    return csv_bytes({name: np.concatenate([table[name] for table in tables]) for name in names})


def _cells(panel: AlignedPanel, gold: dict[Link, str]) -> dict[str, np.ndarray]:
    words = panel.words
    if words is None:
        weights, rows, columns = np.full((1, 1), np.nan, np.float32), [""], [""]
    else:
        weights, rows, columns = words.weights.astype(np.float32), list(words.rows), list(words.columns)
    row, column = np.indices(weights.shape).reshape(2, -1)
    other = "no" if _is_judged(panel) else "unknown"
    kinds = [gold.get(link, other) for link in zip(row.tolist(), column.tolist(), strict=True)]
    return {
        "model": np.full(len(row), guarded(panel.label), dtype=object),
        "about": np.full(len(row), guarded(panel.about), dtype=object),
        "translation": np.full(len(row), guarded(panel.translation), dtype=object),
        "row": row,
        "row_word": label_column(rows, row),
        "column": column,
        "column_word": label_column(columns, column),
        "weight": weights.ravel(),
        "gold": np.array(kinds, dtype=object),
    }


def _archive(aligned: Sequence[AlignedPanel], gold: Sequence[dict[Link, str]], caption: str) -> bytes:
    """Arrays of each model, its number at the end of their names; a model without attention has no weights."""
    arrays: dict[str, np.ndarray] = {
        "labels": label_array([panel.label for panel in aligned]),
        "about": label_array([panel.about for panel in aligned]),
        "translations": label_array([panel.translation for panel in aligned]),
    }
    for number, (panel, links) in enumerate(zip(aligned, gold, strict=True), 1):
        if panel.words is None:
            continue
        arrays |= {
            f"weights_{number}": panel.words.weights.astype(np.float32),
            f"rows_{number}": label_array(panel.words.rows),
            f"columns_{number}": label_array(panel.words.columns),
        }
        if not _is_judged(panel):
            continue
        arrays |= {
            f"possible_{number}": np.array(sorted(links), np.int64).reshape(-1, 2),
            f"sure_{number}": np.array([e for e in sorted(links) if links[e] == "sure"], np.int64).reshape(-1, 2),
        }
    return npz_bytes(arrays, caption)
