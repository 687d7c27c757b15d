"""How one query came to its weights: its products with each key, what is added, and the softmax of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from core.capture.kept import NO_TOKEN
from core.errors import HeadlightError
from core.heads import EVERY_TOKEN, axis_of
from core.views.export import READING, csv_bytes, exact_only, label_array, label_column, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.payload import pack
from core.views.shown import figure_header, row_names
from core.views.words import caption, require_head, row_words, view_stem

if TYPE_CHECKING:
    from core.capture import QueryKeyDetail, Trace
    from core.views.view import View

# Above so many keys only the STRONGEST are shown.
MOST_KEYS = 1024
STRONGEST = 512
Arrays = dict[str, np.ndarray]


def query_key_figure(trace: Trace, view: View, query: int, key: int | None = None) -> Figure:
    """The products of one query of one head with its keys. Always between tokens, whatever the view filters.

    query: position of the query token; key: that of the picked one, which is shown however small its weight.
    Raises HeadlightError where the view shows the mean over the heads, or there is no such query.
    """
    if view.head is None:
        raise HeadlightError("A mean over heads has no query and no keys of its own: choose one head.")
    require_head(trace, view)
    queries, keys = trace.queries(view.stream), trace.keys(view.stream)
    if not 0 <= query < len(queries):
        raise HeadlightError(f"There is no query {query} in this text, which has 0 to {len(queries) - 1}: choose one.")
    detail = trace.query_key(view.layer, view.head, query, view.stream)
    shown = _shown_keys(detail.weights, key)
    arrays = {name: array[shown] if name != "query" else array for name, array in _arrays(detail).items()}
    remark, rest = detail.remark, trace.rest(view.layer, view.stream)
    title, stem = f"Query and keys · layer {view.layer}, head {view.head}", view_stem(trace, view, f"query{query}")
    part = f"the {len(shown)} keys of largest weight of {len(keys):,}" if len(shown) < len(keys) else ""
    where = f"layer {view.layer}, head {view.head}, query {query}"
    rows = row_words(trace, view.stream)
    parts = [_formula(detail, rest), *_meanings(detail), part, "no token left out", rows, remark]
    how = " · ".join(filter(None, parts))
    words = caption(trace, view.stream, where, how)
    header = {
        "figure": figure_header("querykey", title, words, stem),
        "query_label": queries.labels[query],
        "query_kind": queries.kinds[query],
        "query_place": query,
        "query_labels": row_names(trace, view.stream, axis_of(trace, view.stream, "queries")) or queries.labels,
        "query_places": list(range(len(queries))),
        "col_labels": [keys.labels[i] for i in shown],
        "col_kinds": [keys.kinds[i] for i in shown],
        "col_places": shown.tolist(),
        "col_title": "key",
        "dims": detail.dims,
        "steps": _steps(detail, rest),
        "remark": remark,
    }
    return Figure(
        name="querykey",
        component="querykey",
        title=title,
        how_to="Each line is a key: the products of its numbers with the query's, their sum, what the model makes of "
        "it, and the weight. Choose another query above, hover a key for its numbers.",
        payload=pack(header, arrays),
        caption=words,
        contents="The table has a line for each key that is shown, the archive also the query and key vectors. "
        + READING,
        stem=stem,
        csv=exact_only(
            trace,
            lambda: csv_bytes(
                {
                    **_source_columns(trace, view),
                    "query_index": query,
                    "query": label_column(queries.labels, np.full(len(shown), query)),
                    "key_index": shown,
                    "key": label_column(keys.labels, shown),
                    **_columns(arrays),
                    "masked": detail.masked.numpy()[shown],
                }
            ),
        ),
        npz=exact_only(
            trace,
            lambda: npz_bytes(
                {
                    **arrays,
                    "masked": detail.masked.numpy()[shown],
                    "key_index": shown,
                    "keys": label_array([keys.labels[i] for i in shown]),
                    "sink_weight": np.array(detail.sink_weight, np.float32),
                },
                words,
            ),
        ),
    )


def _source_columns(trace: Trace, view: View) -> dict[str, object]:
    """The origin of a table that no filter touches."""
    return {
        **source_columns(trace, view.stream, EVERY_TOKEN),
        "layer": view.layer,
        "head": view.head,
    }


def _shown_keys(weights: Tensor, key: int | None) -> np.ndarray:
    """Positions of the keys that are shown, in the order of the text."""
    if len(weights) <= MOST_KEYS:
        return np.arange(len(weights))
    strongest = torch.topk(weights, STRONGEST).indices.numpy()
    if key is not None and 0 <= key < len(weights) and key not in strongest:
        strongest[-1] = key
    return np.sort(strongest)


def _arrays(detail: QueryKeyDetail) -> Arrays:
    """Each step as (keys,), NaN where the query could not attend; the vectors as (dims,) and (keys, dims)."""
    vectors = {"query": detail.query, "key": detail.key, "dots": detail.dots, "scaled": detail.scaled}
    seen = {"added": detail.added, "logits": detail.logits}
    hidden = {name: None if step is None else step.masked_fill(detail.masked, torch.nan) for name, step in seen.items()}
    found = {**vectors, **hidden, "weights": detail.weights}
    return {name: np.asarray(step.numpy(), np.float32) for name, step in found.items() if step is not None}


def _steps(detail: QueryKeyDetail, rest: str) -> dict[str, Any]:
    """rest: where the sink's share of the weight goes."""
    sink = detail.sink if detail.sink is not None and math.isfinite(detail.sink) else None
    return {
        "scale": detail.scale,
        "softcap": detail.softcap,
        "bias": detail.bias is not None,
        "mask": detail.mask is not None,
        "sink": sink,
        "sink_weight": detail.sink_weight,
        "sink_name": "no token (sink)" if rest == NO_TOKEN else rest,
        "sink_adds": rest != NO_TOKEN,
    }


def _formula(detail: QueryKeyDetail, rest: str) -> str:
    """The steps of this layer in one line."""
    if detail.query is None:
        return "the model's own weights"
    inner = f"q · k × {detail.scale:.4g}"
    if detail.softcap is not None:
        inner = f"{detail.softcap:g} tanh({inner} / {detail.softcap:g})"
    added = [name for name, part in (("position bias", detail.bias), ("mask", detail.mask)) if part is not None]
    beside = "a sink" if rest == NO_TOKEN else rest
    sink = f", with {beside} beside the keys" if detail.sink is not None else ""
    return f"weight = softmax({' + '.join([inner, *added])}){sink}"


def _meanings(detail: QueryKeyDetail) -> list[str]:
    """What the vectors and the scores of the picture are."""
    vectors = "q and k as the attention call received them, after rotary positions where the model has them"
    return [*([vectors] if detail.dims else []), "score: what the softmax is taken of"]


def _columns(arrays: Arrays) -> Arrays:
    names = {"dots": "products_sum", "scaled": "scaled", "added": "added", "logits": "logit", "weights": "weight"}
    return {column: arrays[name] for name, column in names.items() if name in arrays}
