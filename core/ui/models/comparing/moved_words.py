"""The layers whose weights moved most, as a table in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from core.models.quoting import shown

if TYPE_CHECKING:
    from core.models.moved import LayerMove, Moved

MOST_ROWS = 8


def moved_words(found: Moved, base: str, tuned: str) -> tuple[str, str]:
    """What came out, as a sentence and its kind. base, tuned: what the two are called."""
    if found.same:
        equal = f"All weights that {base} and {tuned} have in common are equal"
        if beside := _beside(found, base, tuned):
            return f"{equal}. What else there is cannot be compared: {beside}.", "info"
        return f"{equal}: nothing was trained, or not saved.", "info"
    first = found.most[0]
    moved = sum(move.relative != 0 for move in found.layers)
    return (
        f"{place_words(first)} moved most, by {percent(first.relative)} of its size; "
        f"{moved} of {len(found.layers)} parts moved at all."
    ), "info"


def _beside(found: Moved, base: str, tuned: str) -> str:
    """Tensors without a partner, in words; "" where each has one."""
    only = ((found.only_tuned, f"is in {tuned} alone"), (found.only_base, f"is in {base} alone"))
    parts = (*only, (found.other_shape, "has another shape"))
    return "; ".join(f"{_named(names)} {where}" for names, where in parts if names)


def _named(names: Sequence[str]) -> str:
    more = f" (with {len(names) - 1:,} more)" if len(names) > 1 else ""
    return f"{shown(names[0])}{more}"


def moved_table(found: Moved) -> str:
    """HTML of the parts that moved most."""
    rows = "".join(map(_row, [move for move in found.most if move.relative != 0][:MOST_ROWS]))
    heads = ("Part", "Moved by", "Cosine", "Largest change", "Numbers")
    head = "".join(f'<th scope="col">{title}</th>' for title in heads)
    return (
        f'<table class="headlight-results headlight-moved"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def place_words(move: LayerMove) -> str:
    """A part with its place: "Encoder layer 3, attention query"."""
    part = shown(move.part)
    if move.layer is None:
        return part[:1].upper() + part[1:]
    stack = {"": "Layer", "cross": "Cross-attention, layer"}.get(move.stack, f"{shown(move.stack).capitalize()} layer")
    return f"{stack} {move.layer}, {part}"


def percent(relative: float) -> str:
    """A relative move in percent, with three digits."""
    if math.isnan(relative):
        return "no number"
    return "∞" if math.isinf(relative) else f"{100 * relative:.3g} %"


def _row(move: LayerMove) -> str:
    cosine = "–" if math.isnan(move.cosine) else f"{move.cosine:.5f}".replace("-", "−")
    numbers = (percent(move.relative), cosine, f"{move.largest:.3g}", f"{move.count:,}")
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f'<tr><th scope="row"><bdi>{escape(place_words(move))}</bdi></th>{cells}</tr>'
