"""One layer as lines from queries to keys, a colour a head."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.views.captions import caption, file_stem, row_sums
from core.views.export import csv_bytes, exact_only, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack

if TYPE_CHECKING:
    from core.capture import Trace

TOP_KEYS = 6
THRESHOLD = 0.02


def head_view_figure(trace: Trace, stream: str, layer: int, head: int) -> Figure:
    """All heads of a layer as lines; `head` is the one that is on at first."""
    weights = trace.attention(layer, stream=stream).numpy()  # (heads, queries, keys)
    queries, keys = trace.queries(stream), trace.keys(stream)
    shades, row_max = _shades(weights)
    header = {
        "row_labels": queries.labels,
        "col_labels": keys.labels,
        "row_kinds": queries.kinds,
        "col_kinds": keys.kinds,
        "heads": len(weights),
        "shown": [head],
        "top_k": TOP_KEYS,
        "threshold": THRESHOLD,
    }
    how = (
        f"at rest the {TOP_KEYS} largest weights of each query above {THRESHOLD:g}, at a token all that reach 1/500 of "
        f"their query's largest · line strength from 0 to {weights.max():.3g} · {row_sums(trace, stream, layer)}"
    )
    return Figure(
        component="headview",
        title=f"Head view · layer {layer}",
        how_to="Lines run from each query on the left to the keys it attends to on the right. Hover a token to see its "
        "lines alone, click to keep them. Click a head's number to show or hide it, double-click to see it alone.",
        payload=pack(header, {"weights": shades, "row_max": row_max}),
        caption=caption(trace, stream, f"layer {layer}", how),
        contents="The table lists the lines at rest of every head, the archive holds all weights of the layer. "
        "In pandas, read the table with keep_default_na=False, or words such as “null” go missing.",
        stem=file_stem(trace, stream, f"layer{layer}", "lines"),
        csv=exact_only(
            trace,
            lambda: csv_bytes(
                {
                    "model": trace.provenance.model,
                    "layer": layer,
                    **_line_columns(weights, queries.labels, keys.labels),
                }
            ),
        ),
        npz=exact_only(
            trace,
            lambda: npz_bytes(
                {"weights": weights, "queries": label_array(queries.labels), "keys": label_array(keys.labels)},
                caption(trace, stream, f"layer {layer}", f"{row_sums(trace, stream, layer)} · no token left out"),
            ),
        ),
    )


def _shades(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights as uint8 shares of their row's maximum, and that maximum: (heads, queries, keys), (heads, queries)."""
    row_max = weights.max(axis=-1)
    shares = weights / np.where(row_max > 0, row_max, 1)[..., None]
    return np.rint(shares * 255).astype(np.uint8), row_max.astype(np.float32)


def _line_columns(weights: np.ndarray, queries: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The lines of every head at rest, strongest first within a query."""
    order = np.argsort(-weights, axis=-1, kind="stable")[..., :TOP_KEYS]
    strongest = np.take_along_axis(weights, order, axis=-1)
    head, query, rank = np.nonzero(strongest > THRESHOLD)
    key = order[head, query, rank]
    return {
        "head": head,
        "query_index": query,
        "query": label_column(queries, query),
        "key_index": key,
        "key": label_column(keys, key),
        "weight": strongest[head, query, rank],
    }
