"""Words that every figure uses: what is shown, how it was filtered, and how it was checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.capture.kept import NO_TOKEN
from core.errors import HeadlightError
from core.heads import EVERY_TOKEN, Filters, axis_of
from core.text import Tokens, shortened
from core.text.labels import visible
from core.views.scales import short_number
from core.views.written import written_from

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
# Characters of a text in a caption.
LONGEST_TEXT = 60


def caption(trace: Trace, stream: str, where: str, how: str, filters: Filters | None = None) -> str:
    """The line under a figure.

    where: the layers and heads shown; how: scale and normalisation; filters: what is left out and merged, None where
    nothing could be. Only what is true whatever is pointed at, picked or set in the browser.
    """
    parts = [
        trace.provenance.model,
        f"{STREAM_WORDS[stream]}, {where}",
        counted(trace, stream, filters or EVERY_TOKEN),
        "" if filters is None else filter_words(trace, stream, filters),
        how,
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


def share_words(share: float) -> str:
    """A share of a weight in two decimals, small ones in as many as tell them from uniform attention in a long text."""
    if share >= 0.1:
        return f"{share:.2f}"
    return f"{share:.3f}" if share >= 0.001 else short_number(share)


def counted(trace: Trace, stream: str, filters: Filters = EVERY_TOKEN) -> str:
    """The number of tokens on both sides, of those how many are shown and as how many words, and who wrote them."""
    sides = _sides(trace, stream)
    read, shown = [len(side) for side in sides], [_shown(side, filters) for side in sides]
    part = f"{_times(shown)} of " if shown != read else ""
    words = f" as {_word_counts(trace, stream, filters)}" if filters.words else ""
    return f"{part}{_of(read, 'token')}{words}{_written_words(trace, stream, filters)}"


def special_words(trace: Trace, stream: str) -> str:
    """The number of tokens on both sides, and how many of them are special."""
    sides = _sides(trace, stream)
    special = [sum(side.special) for side in sides]
    marked = f", {_times(special)} of them special" if any(special) else ""
    return f"{_of([len(side) for side in sides], 'token')}{marked}"


def text_words(trace: Trace, stream: str) -> str:
    """The beginning of the text or texts, for a figure that shows no token; "" where a text is not known."""
    sides = _sides(trace, stream)
    if len(sides) == 1:
        return _quoted("text", sides[0])
    return " · ".join(filter(None, map(_quoted, ("queries", "keys"), sides)))


def _quoted(name: str, tokens: Tokens) -> str:
    texts = [f"“{_beginning(text)}”" for text in (tokens.text, tokens.text_pair) if text]
    return f"{name}: {' and '.join(texts)}" if texts else ""


def _beginning(text: str) -> str:
    """Letter for letter; line breaks and marks that change a line's direction are signs, spaces stay spaces."""
    return " ".join(map(visible, shortened(text, LONGEST_TEXT).split(" ")))


def _sides(trace: Trace, stream: str) -> list[Tokens]:
    """The tokens of the rows and those of the columns; once where they are the same."""
    queries, keys = trace.queries(stream), trace.keys(stream)
    return [queries] if queries is keys or queries == keys else [queries, keys]


def _shown(tokens: Tokens, filters: Filters, start: int = 0) -> int:
    return sum(1 for special in tokens.special[start:] if not (special and filters.hides))


def _word_counts(trace: Trace, stream: str, filters: Filters) -> str:
    axes = [axis_of(trace, stream, side, filters) for side in ("queries", "keys")][: len(_sides(trace, stream))]
    special = [axis.kinds.count("special") for axis in axes]
    words = _of([len(axis) - count for axis, count in zip(axes, special, strict=True)], "word")
    return f"{words} and {_of(special, 'special token')}" if any(special) else words


def _written_words(trace: Trace, stream: str, filters: Filters) -> str:
    start = written_from(trace, stream)
    count = 0 if start is None else _shown(trace.tokens, filters, start)
    if not count:
        return ""
    return f", the last {f'{count:,} tokens' if count > 1 else 'token'} written by the model"


def _of(counts: list[int], name: str) -> str:
    """ "5 tokens", "5 × 7 tokens"."""
    return f"{_times(counts)} {name}{'' if counts == [1] else 's'}"


def _times(counts: list[int]) -> str:
    return " × ".join(f"{count:,}" for count in counts)


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
    """What was merged and what was left out, in the order of the steps."""
    there = hides(trace, stream, filters) or filters.special == "show"
    left_out = WEIGHTS_OF_SPECIAL[filters.special] if there else "no special tokens to leave out"
    if not filters.words:
        return left_out
    return f"{MERGED}; {'then ' if hides(trace, stream, filters) else ''}{left_out}"


def row_sums(trace: Trace, stream: str, layer: int, filters: Filters) -> str:
    """What the weights of a row add up to."""
    if hides(trace, stream, filters):
        if filters.special == "renormalise":
            return "each row sums to 1 without special tokens"
        return "rows sum to less than 1 without special tokens"
    if trace.has_sink(layer, stream):
        rest = trace.rest(layer, stream)
        shared = "" if rest == NO_TOKEN else " in the same softmax"
        return f"rows sum to less than 1, the rest goes to {rest}{shared}"
    return "each row sums to 1"


def row_words(trace: Trace, stream: str) -> str:
    """What a row stands for, where it is easily taken for something else; "" elsewhere."""
    return "each row is the token just read; with it the model predicts the next one" if trace.followed(stream) else ""


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
