"""A text cut into the parts that can be pointed at: what a token covers, and what no token covers.

Tokens that share a character, such as the bytes of an emoji, are one part: a reader cannot point at a third of a sign.
The parts of a text that are no special tokens give it back when joined, letter for letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.text.characters import Span
from core.text.units import starts_of

if TYPE_CHECKING:
    from core.heads import Axis
    from core.text import Tokens

# What the model did not read is shown up to so many characters.
LONGEST_REST = 2_000
NO_TOKEN = -1


@dataclass(frozen=True)
class Part:
    """text; index: row or column of the matrix, NO_TOKEN where no token covers the text; place: first token's position.

    kind: "special", "unknown" or ""; tokens: how many tokens the part stands for.
    """

    text: str
    index: int
    kind: str
    place: int
    tokens: int


@dataclass(frozen=True)
class Side:
    """One side of a map as parts.

    blocks   the parts of each text, in order
    words    of each entry of the axis the part it belongs to: what `core.text.merge` reads
    parts    the entries of each part, as slices over the axis
    """

    blocks: tuple[tuple[Part, ...], ...]
    words: tuple[int, ...]
    parts: tuple[slice, ...]

    def merged(self) -> Side:
        """Itself: parts are not merged any further."""
        return self


def side_of(tokens: Tokens, axis: Axis) -> Side:
    """The parts of one side; axis: all of its entries, tokens or words, under whatever filters."""
    spans = _spans(tokens, axis)
    words = _groups(axis, spans)
    starts = starts_of(_Words(words))
    slices = tuple(slice(*pair) for pair in zip(starts, [*starts, len(axis)][1:], strict=True))
    texts = [tokens.text] if tokens.text_pair is None else [tokens.text, tokens.text_pair]
    homes = _homes(axis, slices)
    blocks = tuple(
        tuple(_parts(text, [i for i, home in enumerate(homes) if home == block], axis, spans, slices))
        for block, text in enumerate(texts)
    )
    return Side(blocks, words, slices)


@dataclass(frozen=True)
class _Words:
    words: tuple[int, ...]


def _spans(tokens: Tokens, axis: Axis) -> list[Span | None]:
    """The characters that each entry covers."""
    if not axis.words:
        return [tokens.spans[place] for place in axis.places]
    units = tokens.merged()
    span_at = {members[0]: span for members, span in zip(units.members, units.spans, strict=True)}
    return [span_at[place] for place in axis.places]


def _groups(axis: Axis, spans: Sequence[Span | None]) -> tuple[int, ...]:
    """The part of each entry.

    An entry goes with those before it where they share a character. One that covers nothing, such as the mark of a
    space that was put before a word, goes with what follows it in its text, or else with what comes before.
    """
    followed = _followed(axis, spans)
    words: list[int] = []
    end, is_empty = 0, False  # of the part so far: where it ends, whether it covers nothing
    for i, span in enumerate(spans):
        same_text = i > 0 and spans[i - 1] is not None and axis.sequences[i - 1] == axis.sequences[i]
        covers_nothing = span is not None and span[0] == span[1]
        shares = span is not None and (is_empty or span[0] < end or (covers_nothing and not followed[i]))
        joins = same_text and shares
        words.append((words[-1] if words else -1) + (0 if joins else 1))
        end = max(end if joins else 0, span[1] if span else 0)
        is_empty = covers_nothing and (is_empty or not joins)
    return tuple(words)


def _followed(axis: Axis, spans: Sequence[Span | None]) -> list[bool]:
    """Whether, before a special token or another text, an entry is followed by one that covers characters."""
    found = [False] * len(spans)
    for i in range(len(spans) - 2, -1, -1):
        span = spans[i + 1]
        if span is not None and axis.sequences[i + 1] == axis.sequences[i]:
            found[i] = span[0] < span[1] or found[i + 1]
    return found


def _homes(axis: Axis, slices: Sequence[slice]) -> list[int]:
    """The text that each part is shown with: a special token goes with what comes before it, at the start behind it."""
    own = [axis.sequences[part.start] for part in slices]
    at = next((sequence for sequence in own if sequence is not None), 0)
    homes = []
    for sequence in own:
        at = at if sequence is None else sequence
        homes.append(at)
    return homes


def _parts(
    text: str, indices: Sequence[int], axis: Axis, spans: Sequence[Span | None], slices: Sequence[slice]
) -> Iterator[Part]:
    """The parts of one text in order, with what no token covers between them."""
    at = 0
    for index in indices:
        own = slices[index]
        covered = [span for span in spans[own] if span is not None]
        place, count = axis.places[own.start], sum(axis.sizes[own])
        if not covered:
            yield Part(axis.labels[own.start], index, axis.kinds[own.start] or "special", place, count)
            continue
        start, end = max(at, min(s[0] for s in covered)), max(at, max(s[1] for s in covered))
        if at < start:
            yield Part(text[at:start], NO_TOKEN, "", NO_TOKEN, 0)
        kind = "unknown" if "unknown" in axis.kinds[own] else ""
        yield Part(text[start:end], index, kind, place, count)
        at = end
    if at < len(text):
        rest = text[at:]
        more = len(rest) - LONGEST_REST
        yield Part(rest if more <= 0 else f"{rest[:LONGEST_REST]}…[{more:,} more]", NO_TOKEN, "", NO_TOKEN, 0)
