"""One layer as lines from queries to keys, a colour a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from core.heads import attention_map
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
from core.views.shown import axes_header, figure_header, is_part, window_of
from core.views.words import caption, file_stem, filter_marks, row_sums, row_words, window_words

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import AttentionMap
    from core.views.view import View

TOP_KEYS = 6
THRESHOLD = 0.02
# Above so many weights only the strongest keys of each query are sent: at most KEPT, and at most so many in all.
DENSE = 800_000
KEPT = 32
LEAST_KEPT = 8


def head_view_figure(trace: Trace, view: View) -> Figure:
    """All heads of the view's layer as lines, whichever of them is looked at; within the window of a long map."""
    window = window_of(trace, view)
    shown = attention_map(trace, view.stream, view.layer, None, view.filters, *window)
    weights = shown.weights.numpy()  # (heads, rows, cols)
    arrays, dense = _message_arrays(shown)
    part = window_words(shown.rows, shown.cols, is_part(window))
    sums = row_sums(trace, view.stream, view.layer, view.filters)
    # Which heads and which of their lines are drawn is for the browser to say: it changes there.
    where = ", ".join(filter(None, [f"layer {view.layer}", part]))
    kept = "" if dense else f"drawn from the {arrays['columns'].shape[-1]} largest weights of each query"
    strength = f"line strength from 0 to {weights.max(initial=0):.3g}, the largest weight of the layer's heads"
    how = " · ".join(filter(None, [strength, kept, sums, row_words(trace, view.stream)]))
    words = caption(trace, view.stream, where, how, view.filters)
    every = f"all {len(weights)} heads, every weight · {sums}"
    title = f"Head view · layer {view.layer}"
    marks = filter_marks(view.filters)
    start = f"from-{shown.rows.places[0]}-{shown.cols.places[0]}" if part else ""
    stem = file_stem(trace, view.stream, f"layer{view.layer}", "lines", start, *marks)
    header = {
        "figure": figure_header("headview", title, words, stem),
        **axes_header(trace, view.stream, shown.rows, shown.cols),
        "heads": list(range(len(weights))),
        "dense": dense,
    }
    return Figure(
        name="headview",
        component="headview",
        title=title,
        how_to="Lines run from each query on the left to the keys it attends to on the right. Hover a token to see its "
        "lines alone, click to keep them. Click a head's number to show or hide it, double-click to see it alone.",
        payload=pack(header, arrays),
        caption=words,
        contents=f"Whatever is drawn, the table lists the {TOP_KEYS} largest weights of each query of every head above "
        f"{THRESHOLD:g}, the archive holds all weights of the layer. " + READING,
        stem=stem,
        csv=exact_only(
            trace,
            lambda: csv_bytes(
                {
                    **source_columns(trace, view.stream, view.filters),
                    "layer": view.layer,
                    **_line_columns(shown),
                }
            ),
        ),
        npz=exact_only(
            trace,
            lambda: npz_bytes(
                {
                    "weights": weights,
                    "queries": label_array(shown.rows.labels),
                    "keys": label_array(shown.cols.labels),
                    "query_index": np.array(shown.rows.places, np.int64),
                    "key_index": np.array(shown.cols.places, np.int64),
                },
                caption(trace, view.stream, where, every, view.filters),
            ),
        ),
    )


def _message_arrays(shown: AttentionMap) -> tuple[dict[str, Any], bool]:
    """What the browser draws, and whether that is every weight."""
    weights = shown.weights  # (heads, rows, cols)
    row_max = weights.amax(dim=-1) if weights.shape[-1] else weights.new_zeros(weights.shape[:-1])  # (heads, rows)
    if weights.numel() <= DENSE:
        return {"weights": _shares(weights, row_max), "row_max": row_max.numpy()}, True
    heads, rows, cols = weights.shape
    kept = min(cols, max(LEAST_KEPT, min(KEPT, DENSE // (2 * heads * rows))))
    strongest, columns = torch.topk(weights, kept, dim=-1)  # (heads, rows, cols) -> (heads, rows, kept)
    return {
        "columns": columns.numpy().astype(np.uint16),
        "weights": _shares(strongest, row_max),
        "row_max": row_max.numpy(),
    }, False


def _shares(weights: torch.Tensor, row_max: torch.Tensor) -> np.ndarray:
    """Weights as uint8 shares of their row's maximum: (heads, rows, any), (heads, rows) -> (heads, rows, any)."""
    shares = weights / row_max.where(row_max > 0, 1)[..., None]
    return (shares * 255).round().to(torch.uint8).numpy()


def _line_columns(shown: AttentionMap) -> dict[str, np.ndarray]:
    """The lines that every head has before anything is set, strongest first within a query."""
    weights = shown.weights.numpy()
    order = np.argsort(-weights, axis=-1, kind="stable")[..., :TOP_KEYS]
    strongest = np.take_along_axis(weights, order, axis=-1)
    head, query, rank = np.nonzero(strongest > THRESHOLD)
    key = order[head, query, rank]
    return {
        "head": head,
        "query_index": place_column(shown.rows.places, query),
        "query": label_column(shown.rows.labels, query),
        "key_index": place_column(shown.cols.places, key),
        "key": label_column(shown.cols.labels, key),
        "weight": strongest[head, query, rank],
    }
