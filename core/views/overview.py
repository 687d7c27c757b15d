"""All heads as one picture: a tile a head, layers down and heads across."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from core.heads import EVERY_TOKEN
from core.views.export import csv_bytes, exact_only, npz_bytes, source_columns
from core.views.figure import Figure
from core.views.head_words import titles
from core.views.payload import pack
from core.views.scales import SCALES, SPANS, scale_words, short_number
from core.views.shown import figure_header
from core.views.words import caption, file_stem, filter_marks, text_words

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Survey
    from core.views.view import View

MASKED = 255
TOP = 254
# A message of at most this many bytes keeps the page quick, whatever the model's size.
LARGEST_MESSAGE = 1_000_000
NO_HEAD = "this layer has no such head"
_OWN_TOPS = {"head": "each tile's own maximum", "row": "the maximum of each row of a tile"}


def overview_figure(trace: Trace, survey: Survey, view: View) -> Figure:
    """The survey of one stream as a picture, coloured by the view's scale and span."""
    layers, heads = survey.tiles.shape[:2]
    tiles = survey.tiles.numpy()
    title, stem = "All heads", file_stem(trace, survey.stream, "all-heads", *filter_marks(survey.filters))
    where = f"all {layers} × {heads} heads"
    block = f"each cell the largest of {survey.factor} × {survey.factor} weights" if survey.factor > 1 else ""
    measured = "measures count all tokens" if survey.filters != EVERY_TOKEN else ""
    held = [*filter(None, [block, measured, text_words(trace, survey.stream)])]
    how = " · ".join([scale_words(view.scale, _top_words(survey, view)), *held])
    words = caption(trace, survey.stream, where, how, survey.filters)
    data_words = caption(trace, survey.stream, where, " · ".join(held), survey.filters)
    header = {
        "figure": figure_header("overview", title, words, stem),
        "layers": layers,
        "heads": heads,
        "legend": _legend(survey, view),
    }
    return Figure(
        name="overview",
        component="overview",
        title=title,
        how_to="Rows are layers, columns are heads; in a tile, rows are queries and columns are keys. "
        "Click a tile to open that head. Arrow keys move between tiles, Enter opens one.",
        payload=_message(header, _shades(tiles, survey, view), survey),
        caption=words,
        contents="The table holds the measures of each head, over all tokens and beside those of uniform attention; "
        "the archive holds these and the tiles.",
        stem=stem,
        csv=exact_only(
            trace,
            lambda: csv_bytes({**source_columns(trace, survey.stream, EVERY_TOKEN), **measure_columns(survey)}),
        ),
        npz=exact_only(trace, lambda: npz_bytes({"tiles": tiles, **measure_arrays(survey)}, data_words)),
    )


def _top_words(survey: Survey, view: View) -> str:
    if view.span == "all":
        return f"{survey.top:.3g}, {SPANS['all']}"
    return {**_OWN_TOPS, "one": SPANS["one"]}[view.span]


def _shades(tiles: np.ndarray, survey: Survey, view: View) -> np.ndarray:
    """float32 tiles with NaN where masked -> uint8: 0 to 254 along the scale, 255 where masked."""
    masked = np.isnan(tiles)
    filled = np.where(masked, np.float32(0), tiles)  # (layers, heads, rows, cols)
    top = _tops(filled, survey, view.span)
    placed = SCALES[view.scale].place(np.clip(filled / np.where(top > 0, top, 1), 0, 1))
    return np.where(masked, MASKED, np.rint(placed * TOP)).astype(np.uint8)


def _tops(filled: np.ndarray, survey: Survey, span: str) -> np.ndarray:
    """The weights that the strongest colour stands for, as something that divides the tiles."""
    if span in ("head", "row"):
        return filled.max(axis=(-1, -2) if span == "head" else -1, keepdims=True)
    return np.array(survey.top if span == "all" else 1.0, np.float32)


def _legend(survey: Survey, view: View) -> dict[str, Any]:
    """Ticks at the ends and the middle of the colour bar: weights where all tiles share them, else shares."""
    scale = SCALES[view.scale]
    low, middle = (float(scale.share(np.array(place))) for place in (0, 0.5))
    shared = {"all": float(survey.top), "one": 1.0}.get(view.span)
    ticks = [f"{100 * part:g} %" if shared is None else short_number(part * shared) for part in (low, middle, 1.0)]
    least = f"≤ {ticks[0]}" if low > 0 else "0"
    whose = f"of {_OWN_TOPS[view.span]}" if view.span in _OWN_TOPS else ""
    name = "" if view.scale == "linear" else scale.name.replace("colour ", "")
    return {"ticks": [least, *ticks[1:]], "remark": " · ".join(filter(None, [whose, name]))}


def _message(header: dict[str, Any], shades: np.ndarray, survey: Survey) -> bytes:
    """The message with as many words for each head as fit."""
    arrays = {"tiles": shades}
    room = LARGEST_MESSAGE - len(pack({**header, "titles": []}, arrays))
    for brief in (False, True):
        named = _titles(survey, brief)
        if len(json.dumps(named, ensure_ascii=False).encode()) <= room:
            return pack({**header, "titles": named}, arrays)
    return pack({**header, "titles": [""] * (shades.shape[0] * shades.shape[1])}, arrays)


def _titles(survey: Survey, brief: bool) -> list[str]:
    heads = survey.tiles.shape[1]
    named = []
    for measures in survey.measures:
        own = titles(measures, brief)
        named += own + [NO_HEAD] * (heads - len(own))
    return named


# The name of each measure in files, with its unit.
_COLUMNS = {
    "entropy": "entropy_nats",
    "distance": "mean_distance_tokens",
    "first": "first_token_weight",
    "previous": "previous_token_weight",
    "next": "next_token_weight",
    "special": "special_token_weight",
    "own": "own_token_weight",
}


def measure_arrays(survey: Survey) -> dict[str, np.ndarray]:
    """Each measure as (layers, heads), NaN for heads that a layer lacks, and its uniform value as (layers,)."""
    layers, heads = survey.tiles.shape[:2]
    arrays = {name: np.full((layers, heads), np.nan, np.float32) for name in _COLUMNS.values()}
    for layer, measures in enumerate(survey.measures):
        for field, name in _COLUMNS.items():
            values = getattr(measures, field).numpy()
            arrays[name][layer, : len(values)] = values
    uniform = {
        f"uniform_{name}": np.array([getattr(m, f"uniform_{field}") for m in survey.measures], np.float32)
        for field, name in _COLUMNS.items()
    }
    return {**arrays, **uniform}


def measure_columns(survey: Survey) -> dict[str, np.ndarray]:
    """The same as columns of a table with a line a head."""
    layers, heads = survey.tiles.shape[:2]
    arrays = measure_arrays(survey)
    by_head = {name: a.ravel() if a.ndim == 2 else np.repeat(a, heads) for name, a in arrays.items()}
    return {"layer": np.repeat(np.arange(layers), heads), "head": np.tile(np.arange(heads), layers), **by_head}
