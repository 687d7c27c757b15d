"""Attention before and after words changed places, with positions and without: permuted exactly, or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import HeadlightError
from core.views.export import csv_bytes, guarded, label_array, label_column, npz_bytes
from core.views.figure import Figure
from core.views.order_view_drawing import as_written, maps_plot, ringed
from core.views.plotly import from_plotly
from core.views.position_grid import MOST_CELLS
from core.views.runs import joined, stem_of
from core.views.words import STREAM_WORDS, checked, text_words

if TYPE_CHECKING:
    from core.capture import Trace
    from core.mechanics.order import OrderComparison
    from core.text import Tokens

WITH, WITHOUT = "with positions", "without positions"
BEFORE, AFTER = "as written", "in the new order"


@dataclass(frozen=True, eq=False)
class Map:
    """One of the maps. weights: float32 (rows, columns), NaN where masked; named by `row` and `column` of the grid.

    rows, cols: labels of the tokens; from_rows, from_cols: where each of them was in the text as written;
    special_rows, special_cols: whether it is a special token
    """

    row: str
    column: str
    weights: np.ndarray
    rows: tuple[str, ...]
    cols: tuple[str, ...]
    from_rows: np.ndarray
    from_cols: np.ndarray
    special_rows: np.ndarray
    special_cols: np.ndarray


def order_figure(comparison: OrderComparison, layer: int, head: int | None = None, bare: bool = True) -> Figure:
    """The maps of a layer and head, or with None of the mean over its heads, before and after the words were moved.

    bare: whether the model without positions is shown too; where they cannot be taken out, the caption says why.
    Of a longer text, the first MOST_CELLS tokens are shown. Raises HeadlightError for a layer or head that there is
    not.
    """
    maps = _maps(comparison, layer, head, bare)
    shown = _differences(maps)
    several = WITHOUT in shown
    sentences = {WITH: _sentence(WITH, several, comparison.difference, shown[WITH], comparison)}
    if several and comparison.bare_difference is not None:
        sentences[WITHOUT] = _sentence(WITHOUT, several, comparison.bare_difference, shown[WITHOUT], comparison)
    words = _caption(comparison, layer, head, bare, maps)
    model = comparison.original.provenance.model
    return from_plotly(
        name="order",
        title="Attention before and after the words moved",
        how_to="Follow the ringed pair of words. Without positions its weight moves with it, and so does every other: "
        "the map is permuted, not the same. With positions the weights themselves change.",
        figure=maps_plot(maps, sentences, _causal(comparison)),
        caption=words,
        contents="Both hold every weight of the maps that are shown, with the place of each token in the text as "
        "written.",
        stem=stem_of("order", (model, f"layer {layer}", "mean" if head is None else f"head {head}")),
        csv=lambda: csv_bytes(_columns(comparison, maps, layer, head)),
        npz=lambda: npz_bytes(_arrays(comparison, maps), words),
    )


def _causal(comparison: OrderComparison) -> bool:
    return comparison.causal and comparison.stream == "self"


def _maps(comparison: OrderComparison, layer: int, head: int | None, bare: bool) -> list[Map]:
    _refuse(comparison, layer, head)
    pairs = [(WITH, comparison.original, comparison.moved)]
    if bare and comparison.bare_original is not None and comparison.bare_moved is not None:
        pairs.append((WITHOUT, comparison.bare_original, comparison.bare_moved))
    return [
        _map(comparison, row, column, trace, layer, head)
        for row, before, after in pairs
        for column, trace in ((BEFORE, before), (AFTER, after))
    ]


def _refuse(comparison: OrderComparison, layer: int, head: int | None) -> None:
    layers = comparison.original.layers(comparison.stream)
    if not 0 <= layer < layers:
        raise HeadlightError(f"There is no layer {layer} here: choose one of 0 to {layers - 1}.")
    heads = len(comparison.original.groups(layer, comparison.stream))
    if head is not None and not 0 <= head < heads:
        raise HeadlightError(f"There is no head {head} in layer {layer}: choose one of 0 to {heads - 1}.")


def _map(comparison: OrderComparison, row: str, column: str, trace: Trace, layer: int, head: int | None) -> Map:
    stream, part = comparison.stream, slice(0, MOST_CELLS)
    asked = None if head is None else [head]
    weights = trace.attention(layer, asked, stream, part, part).float().mean(0)  # (H, rows, cols) -> (rows, cols)
    masked = trace.masked(layer, stream, part, part).numpy()
    queries, keys = trace.queries(stream), trace.keys(stream)
    moved = np.array(comparison.places)[part] if column == AFTER else np.arange(min(len(keys), MOST_CELLS))
    own = len(queries) == len(keys) and queries.ids == keys.ids
    return Map(
        row,
        column,
        np.where(masked, np.float32(np.nan), weights.numpy()),
        _labels(queries),
        _labels(keys),
        moved if own else np.arange(min(len(queries), MOST_CELLS)),
        moved,
        np.array(queries.special[:MOST_CELLS]),
        np.array(keys.special[:MOST_CELLS]),
    )


def _labels(tokens: Tokens) -> tuple[str, ...]:
    return tokens.labels[:MOST_CELLS]


def _differences(maps: list[Map]) -> dict[str, float | None]:
    """By row: the largest difference of the two maps that are shown, as masked cells were 0; None where unknown."""
    found: dict[str, float | None] = {}
    for written, moved in zip(maps[::2], maps[1::2], strict=True):
        before = as_written(moved, written)
        apart = None if before is None else np.nan_to_num(moved.weights) - np.nan_to_num(before)
        found[moved.row] = None if apart is None else float(np.abs(apart).max(initial=0.0))
    return found


def _sentence(row: str, several: bool, difference: float, shown: float | None, comparison: OrderComparison) -> str:
    """What stands under a row of maps, which a figure of one row need not name: its model may have no positions."""
    named = f"{row} · " if several else ""
    if math.isnan(difference):
        return f"{named}rows are words of two translations, so cells have no common place"
    permuted = difference <= comparison.tolerance
    verdict = "exactly permuted" if permuted else "not permuted"
    here = "" if shown is None else f"{_number(shown)} between these two maps, "
    return f"{named}{verdict}: largest difference {here}{_number(difference)} over all layers and heads"


def _number(value: float) -> str:
    if value == 0:
        return "0"
    return f"{value:.2f}" if value >= 0.01 else f"{value:.0e}".replace("e-0", "e-")


def _caption(comparison: OrderComparison, layer: int, head: int | None, bare: bool, maps: list[Map]) -> str:
    trace, stream = comparison.original, comparison.stream
    tokens = len(trace.keys(stream))
    heads = len(trace.groups(layer, stream))
    which = f"head {head}" if head is not None else f"mean of {heads} heads" if heads > 1 else "its only head"
    top = max(float(np.nanmax(each.weights, initial=0.0)) for each in maps)
    missing = bare and comparison.bare_original is None
    return joined(
        [
            trace.provenance.model,
            f"{STREAM_WORDS[stream]}, layer {layer}, {which}",
            f"{tokens} tokens" if tokens <= MOST_CELLS else f"the first {MOST_CELLS} of {tokens:,} tokens",
            text_words(trace, stream),
            "no token left out; special tokens keep their places",
            f"square-root colour scale from 0 to {top:.3g}, the largest weight shown, for all maps",
            "largest difference: of a cell of the moved map and the same pair's in the map as written; up to "
            f"{_number(comparison.tolerance)} is rounding",
            "ringed: one pair of words, wherever it stands" if ringed(maps) else "",
            "masked: a token sees only those before it, so that order is known without positions"
            if _causal(comparison)
            else "",
            comparison.refused if missing else "",
            checked(trace),
            trace.provenance.remark,
        ]
    )


def _columns(comparison: OrderComparison, maps: list[Map], layer: int, head: int | None) -> dict[str, object]:
    parts: dict[str, list[np.ndarray]] = {}
    for each in maps:
        query, key = np.indices(each.weights.shape).reshape(2, -1)
        columns = {
            "positions": np.full(len(query), each.row == WITH),
            "moved": np.full(len(query), each.column == AFTER),
            "query": query,
            "key": key,
            "query_as_written": each.from_rows[query],
            "key_as_written": each.from_cols[key],
            "query_token": label_column(each.rows, query),
            "key_token": label_column(each.cols, key),
            "weight": each.weights.ravel(),
        }
        for name, values in columns.items():
            parts.setdefault(name, []).append(values)
    columns = {name: np.concatenate(values) for name, values in parts.items()}
    count = len(columns["weight"])
    return {
        "model": [guarded(comparison.original.provenance.model)] * count,
        "layer": layer,
        "head": "mean" if head is None else head,
        **columns,
    }


def _arrays(comparison: OrderComparison, maps: list[Map]) -> dict[str, np.ndarray]:
    names = {(WITH, BEFORE): "with_before", (WITH, AFTER): "with_after"}
    names |= {(WITHOUT, BEFORE): "without_before", (WITHOUT, AFTER): "without_after"}
    none = comparison.bare_difference
    return {
        **{names[each.row, each.column]: each.weights for each in maps},
        "places": np.array(comparison.places, np.int64),
        "keys_as_written": label_array(maps[0].cols),
        "keys_in_new_order": label_array(maps[1].cols),
        "difference": np.array(comparison.difference),
        "difference_without": np.array(np.nan if none is None else none),
        "tolerance": np.array(comparison.tolerance),
    }
