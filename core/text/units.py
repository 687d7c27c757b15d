"""A text by words: what is shown when a figure merges the tokens of each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.text.characters import Span
from core.text.labels import bounded, visible

if TYPE_CHECKING:
    from core.text.tokens import Tokens


class HasWords(Protocol):
    """What can be merged: `words` as in `Tokens`, one entry a row or column."""

    @property
    def words(self) -> tuple[int | None, ...]: ...


@dataclass(frozen=True)
class Units:
    """The words of a text or of a pair, in order, with its special tokens; columns named as in `Tokens`.

    members    the places of the tokens that each unit is made of
    labels     the user's own characters, from the first of a word's tokens to the last
    unknown    True where the model has no token for a part of the word
    """

    text: str
    text_pair: str | None
    labels: tuple[str, ...]
    spans: tuple[Span | None, ...]
    sequences: tuple[int | None, ...]
    words: tuple[int | None, ...]
    special: tuple[bool, ...]
    unknown: tuple[bool, ...]
    members: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def kinds(self) -> tuple[str, ...]:
        """How a view marks each label: "special", "unknown" or ""."""
        return kinds_of(self.special, self.unknown)

    def merged(self) -> Units:
        """Itself: words are not merged any further."""
        return self


def kinds_of(special: Sequence[bool], unknown: Sequence[bool]) -> tuple[str, ...]:
    """One mark an entry; what is special is not called unknown as well."""
    return tuple("special" if s else "unknown" if u else "" for s, u in zip(special, unknown, strict=True))


def starts_of(merged: HasWords) -> list[int]:
    """Where each unit begins: at each new word, and at each token that belongs to none."""
    words = merged.words
    return [i for i, word in enumerate(words) if i == 0 or word is None or word != words[i - 1]]


def units_of(tokens: Tokens) -> Units:
    """The words of tokens; a special token is a unit by itself."""
    starts = starts_of(tokens)
    members = tuple(tuple(range(*pair)) for pair in zip(starts, [*starts, len(tokens)][1:], strict=True))
    spans = tuple(_span_of(tokens, places) for places in members)
    return Units(
        text=tokens.text,
        text_pair=tokens.text_pair,
        labels=tuple(_label_of(tokens, places, span) for places, span in zip(members, spans, strict=True)),
        spans=spans,
        sequences=tuple(tokens.sequences[i] for i in starts),
        words=tuple(tokens.words[i] for i in starts),
        special=tuple(tokens.special[i] for i in starts),
        unknown=tuple(any(tokens.unknown[i] for i in places) for places in members),
        members=members,
    )


def _span_of(tokens: Tokens, places: Sequence[int]) -> Span | None:
    spans = [span for i in places if (span := tokens.spans[i])]
    filled = [span for span in spans if span[0] < span[1]] or spans[:1]
    return (min(start for start, _ in filled), max(end for _, end in filled)) if filled else None


def _label_of(tokens: Tokens, places: Sequence[int], span: Span | None) -> str:
    if len(places) == 1 or span is None or span[0] == span[1]:
        return bounded("".join(tokens.labels[i] for i in places))
    text = tokens.text_pair if tokens.sequences[places[0]] == 1 else tokens.text
    return bounded(visible((text or "")[slice(*span)]))
