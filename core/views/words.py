"""Words that every figure uses: what is shown, how it was filtered, and how it was checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.errors import HeadlightError
from core.heads import Filters

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Axis
    from core.views.view import View

STREAM_WORDS = {
    "self": "self-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
    "pooling": "attention pooling",
}
WEIGHTS_OF_SPECIAL = {
    "show": "no token left out",
    "hide": "special tokens left out, rows not renormalised",
    "renormalise": "special tokens left out, rows renormalised",
}
MERGED = "tokens merged to words: columns summed, rows averaged"


def caption(trace: Trace, stream: str, where: str, how: str, filters: Filters | None = None) -> str:
    """The line under a figure.

    where: the layers and heads shown; how: scale and normalisation; filters: what is left out and merged, None where
    nothing could be.
    """
    parts = [
        trace.provenance.model,
        f"{STREAM_WORDS[stream]}, {where}",
        counted(trace, stream),
        how,
        "" if filters is None else filter_words(trace, stream, filters),
        checked(trace),
        None if trace.exact else "from queries and keys kept in 16 bits, not for export",
        trace.provenance.remark,
    ]
    return " · ".join(filter(None, parts))


def checked(trace: Trace) -> str:
    """The check that proves the weights, in a few words."""
    return "; ".join(f"check A·V = O {within(check.error)}" for check in trace.provenance.checks)


def within(error: float) -> str:
    """How well a check held."""
    return "to the bit" if error == 0 else f"within {error:.0e}"


def counted(trace: Trace, stream: str) -> str:
    """The number of tokens on both sides."""
    queries, keys = len(trace.queries(stream)), len(trace.keys(stream))
    if queries != keys:
        return f"{queries:,} × {keys:,} tokens"
    return f"{queries:,} token{'' if queries == 1 else 's'}"


def head_count(trace: Trace, view: View) -> int:
    """Heads of the view's own layer: layers can have fewer than others."""
    return len(trace.groups(view.layer, view.stream))


def require_head(trace: Trace, view: View) -> None:
    """Raises HeadlightError for a head that the view's layer lacks: layers can differ."""
    count = head_count(trace, view)
    if view.head is not None and not 0 <= view.head < count:
        raise HeadlightError(f"Layer {view.layer} has no head {view.head}, only 0 to {count - 1}: choose another.")


def head_name(trace: Trace, view: View) -> str:
    """The head that is looked at: "head 3", or "mean of 12 heads"."""
    return f"mean of {head_count(trace, view)} heads" if view.head is None else f"head {view.head}"


def place_words(trace: Trace, view: View) -> str:
    """Layer and head."""
    return f"layer {view.layer}, {head_name(trace, view)}"


def hides(trace: Trace, stream: str, filters: Filters) -> bool:
    """Whether the filters leave something out: a text may have no special tokens."""
    return filters.special != "show" and (any(trace.queries(stream).special) or any(trace.keys(stream).special))


def filter_words(trace: Trace, stream: str, filters: Filters) -> str:
    """What was left out and what was merged."""
    there = hides(trace, stream, filters) or filters.special == "show"
    left_out = WEIGHTS_OF_SPECIAL[filters.special] if there else "no special tokens to leave out"
    return f"{left_out} · {MERGED}" if filters.words else left_out


def row_sums(trace: Trace, stream: str, layer: int, filters: Filters) -> str:
    """What the weights of a row add up to."""
    if hides(trace, stream, filters):
        if filters.special == "renormalise":
            return "each row sums to 1 without special tokens"
        return "rows sum to less than 1 without special tokens"
    if trace.has_sink(layer, stream):
        return "rows sum to less than 1, the rest goes to the head's sink"
    return "each row sums to 1"


def window_words(rows: Axis, cols: Axis, is_window: bool) -> str:
    """Which part of a long map a window shows; "" for a map that is shown whole."""
    if not is_window or not len(rows) or not len(cols):
        return ""
    return f"queries {rows.places[0]} to {rows.places[-1]}, keys {cols.places[0]} to {cols.places[-1]}"


def file_stem(trace: Trace, *parts: str) -> str:
    """A file name that says what is in it, safe on every system."""
    return "_".join(re.sub(r"[^\w.-]+", "-", part) for part in (trace.provenance.model, *filter(None, parts)))


def view_stem(trace: Trace, view: View, *parts: str) -> str:
    """The file name of what shows one head, or their mean, under filters."""
    head = "mean" if view.head is None else f"head{view.head}"
    return file_stem(trace, view.stream, f"layer{view.layer}", head, *parts, *filter_marks(view.filters))


def filter_marks(filters: Filters) -> list[str]:
    """What a file name says of the filters."""
    special = {"show": "", "hide": "no-special", "renormalise": "no-special-renormalised"}[filters.special]
    return ["words" if filters.words else "", special]
