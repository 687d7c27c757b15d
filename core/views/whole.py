"""All of a long map at a glance: each cell the largest weight of a block, a click away from the exact window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.heads import Axis
from core.views.export import READING, csv_bytes, exact_only, label_array, label_column, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.payload import pack
from core.views.scales import SPANS, scale_words
from core.views.shown import axes_header, drawn, entries, figure_header, last_places, window_of
from core.views.words import WEIGHTS_OF_SPECIAL, caption, head_name, hides, place_words, row_sums, view_stem

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import WholeMap
    from core.views.view import View


def whole_figure(trace: Trace, view: View, whole: WholeMap) -> Figure:
    """A long map with `whole.factor` entries a cell along each side.

    A span over all heads would need their maps: the strongest colour stands for the largest weight shown then.
    """
    pooled = whole.weights.numpy()
    masked = np.isnan(pooled)
    weights = np.where(masked, np.float32(0), pooled)
    rows, row_last = _blocks(whole.rows, whole.factor)
    cols, col_last = _blocks(whole.cols, whole.factor)
    span = "head" if view.span == "all" else view.span
    top = 1.0 if span == "one" else float(weights.max(initial=0.0))
    top_words = {"head": f"{top:.3g}, the largest weight shown"}.get(span, SPANS[span])
    block = f"each cell the largest of {whole.factor} × {whole.factor} weights"
    how = f"{block} · {row_sums(trace, view.stream, view.layer, view.filters)}"
    place = place_words(trace, view)
    words = caption(trace, view.stream, place, f"{scale_words(view.scale, top_words)} · {how}", view.filters)
    title, stem = f"The whole map · {place}", view_stem(trace, view, "whole")
    header = {
        "figure": figure_header("whole", title, words, stem),
        **axes_header(trace, view.stream, rows, cols),
        "row_last": row_last,
        "col_last": col_last,
        "row_predictions": (),
        "words": rows.words,
        "scale": view.scale,
        "span": span,
        "max": top,
        "factor": whole.factor,
        "hidden": WEIGHTS_OF_SPECIAL[view.filters.special] if hides(trace, view.stream, view.filters) else "",
        "window": _window(trace, view, whole),
        "label": f"The whole map of {place}: {entries(whole.rows, whole.cols)}, {block}",
    }

    def table() -> bytes:
        row, col = np.indices(weights.shape).reshape(2, -1)
        return csv_bytes(
            {
                **source_columns(trace, view.stream, view.filters),
                "layer": view.layer,
                "head": view.head if view.head is not None else head_name(trace, view),
                "query_first": np.array(rows.places)[row],
                "query_last": np.array(row_last)[row],
                "first_query": label_column(rows.labels, row),
                "key_first": np.array(cols.places)[col],
                "key_last": np.array(col_last)[col],
                "first_key": label_column(cols.labels, col),
                "largest_weight": weights.ravel(),
                "masked": masked.ravel(),
            }
        )

    def archive() -> bytes:
        arrays = {
            "largest_weights": weights,
            "masked": masked,
            "query_first": np.array(rows.places, np.int64),
            "query_last": np.array(row_last, np.int64),
            "key_first": np.array(cols.places, np.int64),
            "key_last": np.array(col_last, np.int64),
            "queries": label_array(whole.rows.labels),
            "keys": label_array(whole.cols.labels),
        }
        return npz_bytes(arrays, caption(trace, view.stream, place, how, view.filters))

    return Figure(
        name="whole",
        component="heatmap",
        title=title,
        how_to="All of a long text: each cell is the largest weight of a block. Click one, or press Enter on it, to "
        "see that part exactly in the heatmap.",
        payload=pack(header, {"weights": drawn(weights, masked)}),
        caption=words,
        contents="Both hold the largest weight of each block in float32, with the positions of its tokens. " + READING,
        stem=stem,
        csv=exact_only(trace, table),
        npz=exact_only(trace, archive),
    )


def _window(trace: Trace, view: View, whole: WholeMap) -> list[int]:
    """The cells that the view's window covers: first row, end row, first column, end column."""
    cells = []
    for part, axis in zip(window_of(trace, view), (whole.rows, whole.cols), strict=True):
        start, stop, _ = part.indices(len(axis))
        cells += [start // whole.factor, -(-stop // whole.factor)]
    return cells


def _blocks(axis: Axis, factor: int) -> tuple[Axis, tuple[int, ...]]:
    """The first entry of each block, as an axis, and the position of the last token of each block."""
    starts, ends = range(0, len(axis), factor), last_places(axis)
    last = tuple(ends[min(start + factor, len(axis)) - 1] for start in starts)
    firsts = Axis(
        labels=axis.labels[::factor],
        kinds=axis.kinds[::factor],
        places=axis.places[::factor],
        sequences=axis.sequences[::factor],
        words=axis.words,
        sizes=axis.sizes[::factor],
    )
    return firsts, last
