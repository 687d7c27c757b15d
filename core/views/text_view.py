"""The text itself, coloured by what a token attends to, or by what attends to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from core.heads import axis_of, is_long
from core.text import merge, merge_masked
from core.text.labels import bounded, visible
from core.views.export import READING, csv_bytes, exact_only, guarded, label_array, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.payload import pack
from core.views.scales import SPANS, scale_words
from core.views.shown import drawn, figure_header, map_of
from core.views.slices import cols_of, rows_of
from core.views.text_parts import NO_TOKEN, Part, Side, side_of
from core.views.words import caption, head_name, place_words, row_sums, row_words, view_stem

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Axis
    from core.views.view import View

AT_THE_TOKEN = "the largest weight at the token that is picked or pointed at"
SHARED = "tokens that share a character are one part: columns summed, rows averaged"
Arrays = dict[str, np.ndarray]


def text_figure(trace: Trace, view: View, query: int | None, key: int | None) -> Figure:
    """The text or texts in parts. query, key: positions of the picked tokens, or None.

    The message holds all weights, whatever is picked, unless the text is long: then those of the picked tokens alone.
    """
    axes = axis_of(trace, view.stream, "queries", view.filters), axis_of(trace, view.stream, "keys", view.filters)
    tokens = trace.queries(view.stream), trace.keys(view.stream)
    is_one_text = tokens[0] == tokens[1]
    sides = (side_of(tokens[0], axes[0]), side_of(tokens[1], axes[1]))
    long = is_long(trace, view.stream, view.filters)
    picked = _picked(axes[0], sides[0], query), _picked(axes[1], sides[1], key)
    arrays = _arrays_of_picked(trace, view, sides, picked) if long else {"weights": _all_weights(trace, view, sides)}
    picked_places = tuple(None if part is None else at for part, at in zip(picked, (query, key), strict=True))
    place = place_words(trace, view)
    shares = any(len(side.parts) < len(axis) for side, axis in zip(sides, axes, strict=True))
    sums = row_sums(trace, view.stream, view.layer, view.filters)
    top_words = SPANS["one"] if view.span == "one" else AT_THE_TOKEN
    held = [*filter(None, [sums, SHARED if shares else "", row_words(trace, view.stream)])]
    words = caption(trace, view.stream, place, " · ".join([scale_words(view.scale, top_words), *held]), view.filters)
    every = _picked_words(picked_places) if long else "every weight"
    data_words = caption(trace, view.stream, place, " · ".join([every, *held]), view.filters)
    title, stem = f"Text · {place}", view_stem(trace, view, "text")
    header: dict[str, Any] = {
        "figure": figure_header("text", title, words, stem),
        "blocks": _blocks(sides, is_one_text),
        "dense": not long,
        "scale": view.scale,
        "max": 1.0 if view.span == "one" else 0.0,
    }
    if long and arrays:
        header["pick"] = list(picked_places)
    lines = arrays if long else _lines(arrays["weights"], picked)
    return Figure(
        name="text",
        component="text",
        title=title,
        how_to="Click a word: the text is coloured by what it attends to, or by what attends to it. Arrow keys step "
        "from word to word.",
        payload=pack(header, _drawn(arrays)),
        caption=words,
        contents="The table lists the parts of the text with the weights from the picked query and on the picked key, "
        f"the archive holds {'these weights' if long else 'all weights between the parts'}, "
        "and the parts' characters as JSON lists. " + READING,
        stem=stem,
        csv=exact_only(trace, lambda: _table(trace, view, axes, sides, lines)),
        npz=exact_only(trace, lambda: npz_bytes({**arrays, **_texts(axes, sides)}, data_words)),
    )


def _picked(axis: Axis, side: Side, place: int | None) -> int | None:
    """The part that holds the token at a position; None where none is picked or it is left out."""
    entry = None if place is None else axis.index_of(place)
    return None if entry is None else side.words[entry]


def _picked_words(places: tuple[int | None, ...]) -> str:
    """What an archive of a long text holds."""
    named = zip(("the weights of query", "the weights on key"), places, strict=True)
    return (
        " and ".join(f"{what} {place}" for what, place in named if place is not None)
        or "no weights: no token is picked"
    )


def _all_weights(trace: Trace, view: View, sides: tuple[Side, Side]) -> np.ndarray:
    """Weights between parts, NaN where masked: float32 (rows, cols)."""
    shown = map_of(trace, view)
    weights = merge(shown.weights[0], *sides).numpy()  # (1, rows, cols) -> (row parts, column parts)
    return np.where(merge_masked(shown.masked, *sides).numpy(), np.float32(np.nan), weights)


def _arrays_of_picked(
    trace: Trace, view: View, sides: tuple[Side, Side], picked: tuple[int | None, int | None]
) -> Arrays:
    """The row of the picked query part and the column of the picked key part: (cols,) and (rows,), NaN where masked."""
    arrays: Arrays = {}
    if picked[0] is not None:
        own = _Only(sides[0].words[sides[0].parts[picked[0]]])
        weights, masked = rows_of(trace, view, sides[0].parts[picked[0]])
        merged, unseen = merge(weights, own, sides[1])[0], merge_masked(masked, own, sides[1])[0]
        arrays["row"] = np.where(unseen.numpy(), np.float32(np.nan), merged.numpy())
    if picked[1] is not None:
        own = _Only(sides[1].words[sides[1].parts[picked[1]]])
        weights, masked = cols_of(trace, view, sides[1].parts[picked[1]])
        merged, unseen = merge(weights, sides[0], own)[:, 0], merge_masked(masked, sides[0], own)[:, 0]
        arrays["column"] = np.where(unseen.numpy(), np.float32(np.nan), merged.numpy())
    return arrays


class _Only:
    """The entries of one part, as `core.text.merge` reads them."""

    def __init__(self, words: tuple[int, ...]) -> None:
        self.words: tuple[int | None, ...] = words


def _drawn(arrays: Arrays) -> Arrays:
    return {name: drawn(array, np.isnan(array)) for name, array in arrays.items()}


def _lines(weights: np.ndarray, picked: tuple[int | None, int | None]) -> Arrays:
    row = {} if picked[0] is None else {"row": weights[picked[0]]}
    return row if picked[1] is None else {**row, "column": weights[:, picked[1]]}


def _blocks(sides: tuple[Side, Side], is_one_text: bool) -> list[dict[str, Any]]:
    """The blocks of the header: title, role, and the parts as lists."""
    if is_one_text:
        return _blocks_of(sides[0], "both", "")
    return _blocks_of(sides[0], "query", "queries") + _blocks_of(sides[1], "key", "keys")


def _blocks_of(side: Side, role: str, what: str) -> list[dict[str, Any]]:
    names = ["text"] if len(side.blocks) == 1 else ["first text", "second text"]
    titles = [f"{what}: {name}" if what and len(names) > 1 else what or name for name in names]
    return [
        {
            "title": title.capitalize(),
            "role": role,
            "parts": [[part.text, part.index, part.kind, part.place, part.tokens] for part in block],
        }
        for title, block in zip(titles, side.blocks, strict=True)
    ]


def _label(part: Part, axis: Axis, side: Side) -> str:
    """A part as the other figures name it: one entry's own label, or the characters that several share."""
    own = side.parts[part.index]
    return axis.labels[own.start] if own.stop - own.start == 1 else bounded(visible(part.text))


def _table(trace: Trace, view: View, axes: tuple[Axis, Axis], sides: tuple[Side, Side], lines: Arrays) -> bytes:
    """One line a part of each side, with the weight that the picked query gives it or that it gives the picked key."""
    parts = [
        (_label(part, axis, side), name, part)
        for axis, side, name in zip(axes, sides, ("query", "key"), strict=True)
        for block in side.blocks
        for part in block
        if part.index != NO_TOKEN
    ]
    weight = {"query": lines.get("column"), "key": lines.get("row")}
    return csv_bytes(
        {
            **source_columns(trace, view.stream, view.filters),
            "layer": view.layer,
            "head": view.head if view.head is not None else head_name(trace, view),
            "side": [name for _, name, _ in parts],
            "index": [part.place for _, _, part in parts],
            "label": [guarded(label) for label, _, _ in parts],
            "characters": [guarded(part.text) for _, _, part in parts],
            "tokens": [part.tokens for _, _, part in parts],
            "weight_from_picked_query": [_at(weight["key"], part.index, name == "key") for _, name, part in parts],
            "weight_on_picked_key": [_at(weight["query"], part.index, name == "query") for _, name, part in parts],
        }
    )


def _at(weights: np.ndarray | None, index: int, is_there: bool) -> float:
    return float("nan") if weights is None or not is_there else weights[index]


def _texts(axes: tuple[Axis, Axis], sides: tuple[Side, Side]) -> Arrays:
    """The labels, characters and positions of the parts of both sides, for an archive."""
    arrays: Arrays = {}
    for axis, side, name in zip(axes, sides, ("query", "key"), strict=True):
        parts = sorted((p for block in side.blocks for p in block if p.index != NO_TOKEN), key=lambda part: part.index)
        arrays["queries" if name == "query" else "keys"] = label_array([_label(part, axis, side) for part in parts])
        # As one JSON list: an array of texts would give each the room of the longest, which may be the whole text.
        arrays[f"{name}_texts"] = np.array(json.dumps([part.text for part in parts], ensure_ascii=False))
        arrays[f"{name}_index"] = np.array([part.place for part in parts], np.int64)
    return arrays
