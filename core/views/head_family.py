"""How the heads of a layer are drawn as lines: one family of colours, one head strong, and a key of the ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.views.keys import Key
from core.views.position_axes import drawn_key

# From the first head to the last: hue and lightness change all the way, and all are seen on white and on black.
FAMILY = ((90, 79, 214), (61, 127, 217), (42, 167, 155))
CHOSEN = "#e65c10"
# More lines are not told apart, and take long to draw.
MOST_LINES = 32
THIN, STRONG = 1.6, 3.0
# Of the plot's width, where the first key begins, and from one to the next.
FIRST_KEY, NEXT_KEY = 0.33, 0.24


def colour_of_head(head: int, count: int) -> str:
    """The colour of a head among so many."""
    place = head / max(1, count - 1) * (len(FAMILY) - 1)
    parts = [np.interp(place, range(len(FAMILY)), channel) for channel in zip(*FAMILY, strict=True)]
    return f"rgb({', '.join(str(round(float(part))) for part in parts)})"


def drawn_heads(heads: tuple[int, ...], chosen: int | None) -> tuple[int, ...]:
    """At most MOST_LINES of the heads, evenly apart, the first, the last and the chosen one among them."""
    if len(heads) <= MOST_LINES:
        return heads
    places = np.linspace(0, len(heads) - 1, MOST_LINES).round().astype(int)
    kept = {heads[place] for place in places}
    return tuple(head for head in heads if head in kept or head == chosen)


def head_line(head: int, count: int, chosen: int | None) -> dict[str, Any]:
    """Line and opacity of a head: the chosen one strong, the others pale beside it."""
    if head == chosen:
        return dict(line=dict(color=CHOSEN, width=STRONG), opacity=1.0)
    return dict(line=dict(color=colour_of_head(head, count), width=THIN), opacity=0.95 if chosen is None else 0.65)


def head_keys(heads: tuple[int, ...], count: int, chosen: int | None) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Keys of the first and the last head and of the chosen one, right of the upright axis's title."""
    if not heads:
        return []
    ends = [head for head in dict.fromkeys((heads[0], heads[-1])) if head != chosen]
    keys = [Key(f"head {head}", colour_of_head(head, count), 2.4) for head in ends]
    if len(keys) == 2 and len(heads) > 2:
        keys = [Key(f"head {ends[0]} to", keys[0].colour, 2.4), keys[1]]
    if chosen in heads:
        keys.append(Key(f"head {chosen}", CHOSEN, STRONG))
    return [drawn_key(key, FIRST_KEY + place * NEXT_KEY) for place, key in enumerate(keys)]


def few_words(drawn: int, count: int) -> str:
    """What a caption says where not all heads are drawn."""
    return f"{drawn} of {count} heads drawn, evenly chosen" if drawn < count else ""
