"""One head as a matrix: queries down, keys across, exact weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.views.captions import caption, file_stem, row_sums
from core.views.export import csv_bytes, exact_only, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.scales import scale_words

if TYPE_CHECKING:
    from core.capture import Trace

# Above this many cells a float16 message keeps the page quick; downloads stay float32.
EXACT_CELLS = 1 << 20


def heatmap_figure(trace: Trace, stream: str, layer: int, head: int, scale: str) -> Figure:
    """The weights of one head. Cells that the model could not attend to are masked, not zero."""
    weights = trace.attention(layer, [head], stream)[0].numpy()  # (1, queries, keys) -> (queries, keys)
    masked = trace.masked(layer, stream).numpy()
    queries, keys = trace.queries(stream), trace.keys(stream)
    top = float(weights.max())
    header = {
        "row_labels": queries.labels,
        "col_labels": keys.labels,
        "row_kinds": queries.kinds,
        "col_kinds": keys.kinds,
        "row_predictions": trace.predicted(stream) or (),
        "row_title": "query",
        "col_title": "key",
        "scale": scale,
        "max": top,
        "label": f"Attention weights of layer {layer}, head {head}: {len(queries)} queries by {len(keys)} keys",
    }
    dtype = np.float32 if weights.size <= EXACT_CELLS else np.float16
    drawn = np.where(masked, np.nan, weights).astype(dtype)
    where, how = f"layer {layer}, head {head}", f"{row_sums(trace, stream, layer)} · no token left out"
    query, key = np.indices(weights.shape).reshape(2, -1)
    return Figure(
        component="heatmap",
        title=f"Heatmap · layer {layer}, head {head}",
        how_to="Each row is a query and shows how its weight spreads over the keys. Hover a cell for its exact weight, "
        "click to keep it, or step with the arrow keys.",
        payload=pack(header, {"weights": drawn}),
        caption=caption(trace, stream, where, f"{scale_words(scale, f'{top:.3g}')} · {how}"),
        contents="Both hold every weight of this head in float32, with the tokens. "
        "In pandas, read the table with keep_default_na=False, or words such as “null” go missing.",
        stem=file_stem(trace, stream, f"layer{layer}", f"head{head}"),
        csv=exact_only(
            trace,
            lambda: csv_bytes(
                {
                    "model": trace.provenance.model,
                    "layer": layer,
                    "head": head,
                    "query_index": query,
                    "query": label_column(queries.labels, query),
                    "key_index": key,
                    "key": label_column(keys.labels, key),
                    **_predictions(trace, stream, query),
                    "weight": weights.ravel(),
                    "masked": masked.ravel(),
                }
            ),
        ),
        npz=exact_only(
            trace,
            lambda: npz_bytes(
                {
                    "weights": weights,
                    "masked": masked,
                    "queries": label_array(queries.labels),
                    "keys": label_array(keys.labels),
                },
                caption(trace, stream, where, how),
            ),
        ),
    )


def _predictions(trace: Trace, stream: str, query: np.ndarray) -> dict[str, np.ndarray]:
    """The token that a language model finds most probable after each query; nothing for other models."""
    predicted = trace.predicted(stream)
    return {} if predicted is None else {"predicted": label_column(predicted, query)}
