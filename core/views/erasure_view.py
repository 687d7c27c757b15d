"""What happens to the answer as words are taken away or brought in, in the order of each method: curves and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.views.erasure_view_drawing import MOST_REVERSED, NUMBERS, curves_plot
from core.views.export import csv_bytes, guarded, label_array, npz_bytes
from core.views.figure import Figure
from core.views.plotly import from_plotly
from core.views.runs import joined, stem_of
from core.views.saliency_words_caption import methods_words, target_words

if TYPE_CHECKING:
    from core.agreement.erasure_curves import Erasure
    from core.saliency import Scores

REMOVED = {
    "unknown": "removed words are replaced by the unknown token",
    "mask": "removed words are replaced by [MASK]",
    "attention": "removed words are hidden from attention",
    "delete": "removed words are cut out of the text",
}


def erasure_figure(found: Erasure, scored: Sequence[Scores]) -> Figure:
    """Deletion and insertion curves of each method, the band of random orders, and a table of numbers.

    scored: what the orders were made of, for names and caption.
    """
    titles = {scores.method: scores.title for scores in scored}
    words = _caption(found, scored)
    return from_plotly(
        name="erasure",
        title="Effect of removing words",
        how_to="On the left words are removed, those with the largest scores first: the lower the curve, the more the "
        "method found words that the answer hangs on. On the right they are brought into an empty text: the higher the "
        "better. Only what leaves the grey band differs from random order.",
        figure=curves_plot(found, titles),
        caption=words,
        contents="Both hold every point of every curve, each random order by itself, and the numbers of each method.",
        stem=stem_of("erasure", (scored[0].model if scored else "", *found.curves)),
        csv=lambda: _table(found, scored[0].model if scored else ""),
        npz=lambda: _archive(found, words),
    )


def _caption(found: Erasure, scored: Sequence[Scores]) -> str:
    first = scored[0] if scored else None
    orders = len(found.random.deletion)
    signs = [scores.title for scores in scored if scores.signed]
    reversed_ = len(found.curves) <= MOST_REVERSED
    return joined(
        [
            first.model if first else "",
            f"explained: {target_words(first.target)}" if first else "",
            *methods_words(scored),
            REMOVED.get(found.by, found.by),
            f"{found.n} {first.by if first else 'word'}s of one text, special tokens and padding stay",
            f"signed scores by their value, those that speak most for the target first: {', '.join(signs)}"
            if signs
            else "",
            f"grey band: 95 % of {orders} random orders, seed {found.seed}, dotted their mean",
            "deletion, insertion: mean height of the curve minus that of random orders; "
            "good orders are below 0 for deletion and above it for insertion",
            f"comprehensiveness, sufficiency: mean loss of {found.measure} when the first 1, 5, 10, 20 and 50 % of the "
            "words are removed, or alone are kept",
            "thin: the order reversed"
            if reversed_
            else "the reverse order of a panel is the other panel read from right to left",
            "flip: smallest share of the words, first ones first, without which another answer wins"
            if found.measure == "probability"
            else "",
            found.ood.sentence,
            *found.notes,
        ]
    )


def _table(found: Erasure, model: str) -> bytes:
    """One line a point: method, or random order and its number; the numbers of a method stand in each of its lines."""
    lines: list[dict[str, object]] = []
    for name, curve in found.curves.items():
        numbers = {number: float(getattr(found.numbers[name], number)) for number in NUMBERS}
        lines += _points(found, name, "", curve.deletion, curve.insertion, numbers)
    nothing: dict[str, float] = dict.fromkeys(NUMBERS, np.nan)
    for draw, (deletion, insertion) in enumerate(zip(found.random.deletion, found.random.insertion, strict=True)):
        lines += _points(found, "random order", draw, deletion, insertion, nothing)
    names = list(lines[0]) if lines else ["method"]
    columns: dict[str, object] = {"model": [guarded(model)] * len(lines)}
    return csv_bytes(columns | {name: [line[name] for line in lines] for name in names})


def _points(
    found: Erasure,
    name: str,
    draw: object,
    deletion: Sequence[float] | np.ndarray,
    insertion: Sequence[float] | np.ndarray,
    numbers: dict[str, float],
) -> list[dict[str, object]]:
    return [
        {
            "method": name,
            "draw": draw,
            "fraction": float(fraction),
            "deletion": float(out),
            "insertion": float(back),
            **numbers,
        }
        for fraction, out, back in zip(found.fractions, deletion, insertion, strict=True)
    ]


def _archive(found: Erasure, words: str) -> bytes:
    """Curves (methods, fractions), random orders (orders, fractions), numbers (methods) by name."""
    curves = list(found.curves.values())
    shape = (len(curves), len(found.fractions))
    return npz_bytes(
        {
            "methods": label_array(list(found.curves)),
            "fractions": np.array(found.fractions, np.float64),
            "deletion": np.array([curve.deletion for curve in curves], np.float64).reshape(shape),
            "insertion": np.array([curve.insertion for curve in curves], np.float64).reshape(shape),
            "random_deletion": np.array(found.random.deletion, np.float64),
            "random_insertion": np.array(found.random.insertion, np.float64),
            **{
                name: np.array([getattr(found.numbers[each], name) for each in found.curves], np.float64)
                for name in NUMBERS
            },
        },
        words,
    )
