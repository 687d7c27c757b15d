"""Mean attention weight by distance, a line a head, over what the positional scheme itself says of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import HeadlightError
from core.views.attention_by_distance_drawing import (
    SCHEME,
    SCHEME_WORDS,
    Found,
    Own,
    floor_of,
    nearest_heads,
    reaches,
    weights_plot,
)
from core.views.export import csv_bytes, guarded, npz_bytes
from core.views.figure import Figure
from core.views.head_family import CHOSEN, drawn_heads, few_words
from core.views.plotly import from_plotly
from core.views.position_words import figure_name, file_stem
from core.views.runs import joined
from core.views.scales import short_number

if TYPE_CHECKING:
    from core.heads.distances import AttentionByDistance
    from core.positions.objects import ByDistance
    from core.views.position_words import About


def attention_by_distance_figure(
    found: AttentionByDistance,
    about: About,
    layer: int,
    head: int | None = None,
    scheme: ByDistance | None = None,
    scheme_title: str = "",
) -> Figure:
    """Mean weight by offset of the heads of a layer, their mean, and that of rows that spread their weight evenly.

    about: the model, and in its settings the text and what was left out; head: the one that is drawn strong;
    scheme: what the scheme itself gives each offset, drawn under the weights; scheme_title: its name.
    Raises HeadlightError for a head that there is not, and where no offset was found.
    """
    read = _read(found)
    count = len(read.weights)
    if head is not None and not 0 <= head < count:
        raise HeadlightError(f"There is no head {head} in layer {layer}: choose one of 0 to {count - 1}.")
    if not len(read.offsets):
        raise HeadlightError("No query attends to a key at any distance here: choose a longer text.")
    own = None if scheme is None else _own_of(scheme, scheme_title, read.offsets, head)
    words = _caption(about, read, layer, head, own)
    return from_plotly(
        name=figure_name(about, "attention"),
        title=f"Attention by distance · layer {layer}",
        how_to="Each line is a head's mean weight on a key at that offset, whatever the words are. Compare its shape "
        "with what the scheme itself gives to that distance, and with uniform attention: the rest was learned.",
        figure=weights_plot(read, head, own),
        caption=words,
        contents="Both hold mean weight, uniform weight, number of pairs and, where it is known, mean score of each "
        "head and offset.",
        stem=file_stem(f"attention-by-distance_layer-{layer}", about),
        csv=lambda: csv_bytes(_columns(about, read, layer)),
        npz=lambda: npz_bytes(_arrays(read, own), words),
    )


def _own_of(scheme: ByDistance, title: str, offsets: np.ndarray, head: int | None) -> Own:
    """Within the text's offsets; of a head that the scheme tells apart its own line, else every line that there is."""
    told = scheme.offsets.detach().cpu().numpy()
    there = (told >= offsets.min()) & (told <= offsets.max())
    values = scheme.values.detach().cpu().double().numpy()[:, there]
    title = title or "the scheme"
    if head is not None and 1 < len(values) > head:
        return Own(scheme.what, title, f"head {head}", CHOSEN, told[there], values[[head]])
    return Own(scheme.what, title, title, SCHEME, told[there], values)


def _read(found: AttentionByDistance) -> Found:
    def array(values: Any) -> np.ndarray:
        return np.asarray(values.detach().cpu().numpy())

    scores = None if found.scores is None else array(found.scores.float())
    return Found(
        array(found.offsets), array(found.weights.float()), array(found.uniform.float()), array(found.counts), scores
    )


def _caption(about: About, read: Found, layer: int, head: int | None, own: Own | None) -> str:
    count = len(read.weights)
    low = floor_of(read)
    below = int((read.weights < low).sum())
    named = nearest_heads(read)
    far = ", ".join(f"{each} ({reaches(read)[each]:.1f})" for each in named)
    near = f"named: the heads whose weight lies nearest, mean distance in tokens: {far}" if named else ""
    return joined(
        [
            about.words,
            f"layer {layer}, {f'strong: head {head} of {count}' if head is not None else f'{count} heads'}",
            few_words(len(drawn_heads(tuple(range(count)), head)), count),
            f"{int(read.counts.sum()):,} pairs of tokens",
            "mean weight of one key at that offset; dashed: where rows would lie that spread their weight evenly over "
            "all keys that they see, special tokens too",
            f"logarithmic axis from {short_number(low)}" + (f": lines break at {below} smaller means" if below else ""),
            near,
            "score: before softmax, mean over pairs that are not masked" if read.scores is not None else "",
            f"{SCHEME_WORDS.get(own.what, own.what)} of {own.title} by itself, without any text" if own else "",
        ]
    )


def _columns(about: About, read: Found, layer: int) -> dict[str, object]:
    head, place = np.indices(read.weights.shape).reshape(2, -1)
    scores = {} if read.scores is None else {"score": read.scores.ravel()}
    return {
        "model": [guarded(about.source)] * len(head),
        "layer": layer,
        "head": head,
        "offset": read.offsets[place],
        "pairs": read.counts[place],
        "weight": read.weights.ravel(),
        "uniform": read.uniform[place],
        **scores,
    }


def _arrays(read: Found, own: Own | None) -> dict[str, np.ndarray]:
    scores = {} if read.scores is None else {"scores": read.scores}
    told = {} if own is None else {"scheme_offsets": own.offsets, "scheme": own.values}
    return {
        "offsets": read.offsets,
        "pairs": read.counts,
        "weights": read.weights,
        "uniform": read.uniform,
        **scores,
        **told,
    }
