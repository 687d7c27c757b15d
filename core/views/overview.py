"""All heads as one picture: a tile a head, layers down, heads across."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.views.captions import caption, distance_words, entropy_words, file_stem
from core.views.export import csv_bytes, exact_only, npz_bytes
from core.views.figure import Figure
from core.views.payload import pack
from core.views.scales import SCALES, Scale, scale_words

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Measures, Survey

MASKED = 255
TOP = 254


def overview_figure(trace: Trace, survey: Survey, layer: int, head: int, scale: str) -> Figure:
    """The survey of one stream as a picture; `layer` and `head` name the tile that is selected."""
    layers, heads = survey.tiles.shape[:2]
    tiles = survey.tiles.numpy()
    header = {
        "layers": layers,
        "heads": heads,
        "selected": [layer, head],
        "titles": [title for measures in survey.measures for title in _titles(measures, heads)],
    }
    where = f"all {layers} × {heads} heads"
    block = "" if survey.factor == 1 else f"each cell the largest of {survey.factor} × {survey.factor} weights · "
    covered = scale_words(scale, "each tile's own maximum")
    data_words = caption(trace, survey.stream, where, f"{block}no token left out")
    return Figure(
        component="overview",
        title="All heads",
        how_to="Rows are layers, columns are heads; in a tile, rows are queries and columns are keys. "
        "Click a tile to open that head. Arrow keys move between tiles, Enter opens one.",
        payload=pack(header, {"tiles": _shades(tiles, SCALES[scale])}),
        caption=caption(trace, survey.stream, where, f"{covered} · {block}no token left out"),
        contents="The table holds entropy, mean distance and first-token weight of each head, "
        "the archive these and the tiles.",
        stem=file_stem(trace, survey.stream, "all-heads"),
        csv=exact_only(trace, lambda: csv_bytes({"model": trace.provenance.model, **_measure_columns(survey)})),
        npz=exact_only(trace, lambda: npz_bytes({"tiles": tiles, **_measure_arrays(survey)}, data_words)),
    )


def _shades(tiles: np.ndarray, scale: Scale) -> np.ndarray:
    """float32 tiles with NaN where masked -> uint8: 0 to 254 along the scale, 255 where masked."""
    masked = np.isnan(tiles)
    filled = np.where(masked, 0, tiles)
    top = filled.max(axis=(-1, -2), keepdims=True)
    placed = scale.place(filled / np.where(top > 0, top, 1))
    return np.where(masked, MASKED, np.rint(placed * TOP)).astype(np.uint8)


def _titles(measures: Measures, heads: int) -> list[str]:
    entropies, distances = measures.entropy.tolist(), measures.distance.tolist()
    uniform_entropy, uniform_distance = measures.uniform_entropy, measures.uniform_distance
    titles = [
        " · ".join(filter(None, [entropy_words(entropy, uniform_entropy), distance_words(distance, uniform_distance)]))
        for entropy, distance in zip(entropies, distances, strict=True)
    ]
    return titles + ["this layer has no such head"] * (heads - len(titles))


def _measure_arrays(survey: Survey) -> dict[str, np.ndarray]:
    layers, heads = survey.tiles.shape[:2]
    entropy, distance, first = (np.full((layers, heads), np.nan, np.float32) for _ in range(3))
    for layer, measures in enumerate(survey.measures):
        own = slice(len(measures.entropy))
        entropy[layer, own] = measures.entropy.numpy()
        distance[layer, own] = measures.distance.numpy()
        first[layer, own] = measures.first.numpy()
    return {
        "entropy_nats": entropy,
        "mean_distance_tokens": distance,
        "first_token_weight": first,
        "uniform_entropy_nats": np.array([m.uniform_entropy for m in survey.measures], np.float32),
        "uniform_distance_tokens": np.array([m.uniform_distance for m in survey.measures], np.float32),
        "uniform_first_token_weight": np.array([m.uniform_first for m in survey.measures], np.float32),
    }


def _measure_columns(survey: Survey) -> dict[str, np.ndarray]:
    layers, heads = survey.tiles.shape[:2]
    arrays = _measure_arrays(survey)
    by_head = {name: a.ravel() if a.ndim == 2 else np.repeat(a, heads) for name, a in arrays.items()}
    return {"layer": np.repeat(np.arange(layers), heads), "head": np.tile(np.arange(heads), layers), **by_head}
