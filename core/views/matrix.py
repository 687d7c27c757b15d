"""One head, or the mean over the heads, as a matrix: queries down, keys across, exact weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.views.export import (
    READING,
    csv_bytes,
    exact_only,
    label_array,
    label_column,
    npz_bytes,
    place_column,
    source_columns,
)
from core.views.figure import Figure
from core.views.payload import pack
from core.views.scales import SPANS, scale_words
from core.views.shown import axes_header, drawn, entries, figure_header, is_part, map_of, predictions, window_of
from core.views.words import (
    WEIGHTS_OF_SPECIAL,
    caption,
    head_name,
    hides,
    place_words,
    row_sums,
    row_words,
    view_stem,
    window_words,
)

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import AttentionMap, Survey
    from core.views.view import View


def heatmap_figure(trace: Trace, view: View, survey: Survey) -> Figure:
    """The weights of one head. Cells that the model could not attend to are masked, not zero.

    Of a long map it shows the window that starts at the view's row and column.
    """
    window = window_of(trace, view)
    shown = map_of(trace, view, *window)
    weights, masked = shown.weights[0].numpy(), shown.masked.numpy()  # (1, rows, cols) -> (rows, cols)
    top, top_words = _strongest(view, weights, survey, is_part(window))
    part = window_words(shown.rows, shown.cols, is_part(window))
    sums = row_sums(trace, view.stream, view.layer, view.filters)
    where = ", ".join(filter(None, [place_words(trace, view), part]))
    how = " · ".join(filter(None, [scale_words(view.scale, top_words), sums, row_words(trace, view.stream)]))
    words = caption(trace, view.stream, where, how, view.filters)
    title = f"Heatmap · {place_words(trace, view)}"
    stem = view_stem(trace, view, _part_stem(shown) if part else "")
    hidden = hides(trace, view.stream, view.filters)
    header = {
        "figure": figure_header("heatmap", title, words, stem),
        **axes_header(trace, view.stream, shown.rows, shown.cols),
        "row_predictions": predictions(trace, view.stream, shown.rows),
        "words": shown.rows.words,
        "scale": view.scale,
        "span": view.span,
        "max": top,
        "factor": 1,
        "hidden": WEIGHTS_OF_SPECIAL[view.filters.special] if hidden else "",
        "label": f"Attention weights of {place_words(trace, view)}: {entries(shown.rows, shown.cols)}",
    }
    arrays = {"weights": drawn(weights, masked)}
    if hidden:
        arrays["left_out"] = shown.left_out[0].numpy()
    return Figure(
        name="heatmap",
        component="heatmap",
        title=title,
        how_to="Each row is a query and shows how its weight spreads over the keys. Hover a cell for its exact weight, "
        "click to keep it, or step with the arrow keys.",
        payload=pack(header, arrays),
        caption=words,
        contents=f"Both hold every weight {'of this window' if part else 'of this map'} in float32, with the tokens. "
        + READING,
        stem=stem,
        csv=exact_only(trace, lambda: _table(trace, view, shown, hidden)),
        npz=exact_only(
            trace, lambda: npz_bytes(_archive(shown, hidden), caption(trace, view.stream, where, sums, view.filters))
        ),
    )


def _strongest(view: View, weights: np.ndarray, survey: Survey, is_window: bool) -> tuple[float, str]:
    """The weight that the strongest colour stands for, and how a caption names it.

    The tiles of a survey hold the largest weights of blocks, and so the largest of a whole head, which a window of it
    does not know. The mean over heads has no tile.
    """
    largest = float(weights.max(initial=0.0))
    if view.span == "all":
        return survey.top, f"{survey.top:.3g}, {SPANS['all']}"
    if view.span == "one":
        return 1.0, SPANS["one"]
    if view.span == "row":
        return largest, SPANS["row"]
    if not is_window:
        return largest, f"{largest:.3g}, the largest weight shown"
    if view.head is None or survey.filters != view.filters:
        return largest, f"{largest:.3g}, the window's largest weight"
    tile = np.nan_to_num(survey.tiles[view.layer, view.head].numpy())
    largest = max(largest, float(tile.max(initial=0.0)))
    return largest, f"{largest:.3g}, {SPANS['head']}"


def _part_stem(shown: AttentionMap) -> str:
    row, col = (axis.places[0] if len(axis) else 0 for axis in (shown.rows, shown.cols))
    return f"from-{row}-{col}"


def _table(trace: Trace, view: View, shown: AttentionMap, hidden: bool) -> bytes:
    """One line a cell. Indices are the positions of tokens in what the model read, filtered or not."""
    query, key = np.indices((len(shown.rows), len(shown.cols))).reshape(2, -1)
    predicted = predictions(trace, view.stream, shown.rows)
    columns: dict[str, Any] = {
        **source_columns(trace, view.stream, view.filters),
        "layer": view.layer,
        "head": view.head if view.head is not None else head_name(trace, view),
        "query_index": place_column(shown.rows.places, query),
        "query": label_column(shown.rows.labels, query),
        "key_index": place_column(shown.cols.places, key),
        "key": label_column(shown.cols.labels, key),
    }
    if predicted:
        columns["predicted"] = label_column(predicted, query)
    columns |= {"weight": shown.weights[0].numpy().ravel(), "masked": shown.masked.numpy().ravel()}
    if hidden:
        columns["query_left_out"] = shown.left_out[0].numpy()[query]
    return csv_bytes(columns)


def _archive(shown: AttentionMap, hidden: bool) -> dict[str, np.ndarray]:
    arrays = {
        "weights": shown.weights[0].numpy(),
        "masked": shown.masked.numpy(),
        "queries": label_array(shown.rows.labels),
        "keys": label_array(shown.cols.labels),
        "query_index": np.array(shown.rows.places, np.int64),
        "key_index": np.array(shown.cols.places, np.int64),
    }
    return {**arrays, "left_out": shown.left_out[0].numpy()} if hidden else arrays
