"""The words of a text in another order: ids are moved, and nothing is tokenized again.

A tokenizer may cut the moved words otherwise. What is compared here is one and the same set of tokens in two orders,
which is what a permutation in a formula means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import HeadlightError
from core.text.characters import is_seen
from core.text.labels import bounded, visible
from core.text.tokens import Tokens
from core.text.units import starts_of

Places = tuple[int, ...]

# What `Tokens` has one entry a token of.
_COLUMNS = ("ids", "pieces", "labels", "spans", "sequences", "words", "type_ids", "special", "unknown")


def movable(tokens: Tokens) -> tuple[Places, ...]:
    """The places of the tokens of each word that can be moved, in the order of the text.

    Special tokens cannot, nor can pieces that show nothing: line breaks, and the mark of a space that a tokenizer put
    before the text or that stands between two words as a token of its own. A space that is part of a piece (`▁cat`,
    `Ġcat`) moves with it: a first word without one has none wherever it goes, and another brings its own to the front.
    Raises HeadlightError for a pair of texts: a word would go from one to the other.
    """
    if tokens.text_pair is not None:
        raise HeadlightError("Words can be put in another order in one text only: leave out the second text.")
    return tuple(word.shown for word in _words(tokens))


def movable_labels(tokens: Tokens) -> tuple[str, ...]:
    """What is shown for each of `movable`: its own characters, spaces made visible, as in `Tokens.labels`."""
    return tuple(_label_of(tokens, word) for word in movable(tokens))


def moved_places(tokens: Tokens, order: Sequence[int]) -> Places:
    """Where each token of the reordered text was: its token p was token `moved_places(...)[p]`.

    order: a permutation of the words of `movable`; word order[i] comes to stand where word i was.
    Raises HeadlightError where it is none.
    """
    words = movable(tokens)
    if sorted(order) != list(range(len(words))):
        raise HeadlightError(
            f"An order names each of the text's {len(words):,} words once, counted from 0: shuffle or drag them again."
        )
    arriving = {word[0]: words[moved] for word, moved in zip(words, order, strict=True)}
    following = {place for word in words for place in word[1:]}
    slots = (arriving.get(place, (place,)) for place in range(len(tokens)) if place not in following)
    return tuple(place for slot in slots for place in slot)


def reordered(tokens: Tokens, order: Sequence[int]) -> Tokens:
    """The tokens with their words in another order; see `movable` and `moved_places`.

    Labels, spans, words and marks move with the ids. Spans still count the characters of the original text, and
    `text` stays that text. A blank piece before a word goes with the word that now follows it.
    """
    places = moved_places(tokens, order)
    columns: dict[str, Any] = {name: tuple(getattr(tokens, name)[p] for p in places) for name in _COLUMNS}
    words, leading = list(columns["words"]), {place for word in _words(tokens) for place in word.blanks}
    for at in reversed(range(len(places))):
        if places[at] in leading:
            words[at] = words[at + 1]
    return replace(tokens, **columns | {"words": tuple(words)})


@dataclass(frozen=True)
class _Word:
    """The places of a word's tokens: blank pieces that stay, and from the first piece that shows something the rest."""

    blanks: Places
    shown: Places


def _words(tokens: Tokens) -> list[_Word]:
    """The words that show something, in the order of the text."""
    starts, words = starts_of(tokens), []
    for start, end in zip(starts, [*starts, len(tokens)][1:], strict=True):
        shown = [place for place in range(start, end) if not _is_blank(tokens, place)]
        if shown and not tokens.special[start]:
            words.append(_Word(tuple(range(start, shown[0])), tuple(range(shown[0], end))))
    return words


def _is_blank(tokens: Tokens, place: int) -> bool:
    """Whether a token shows no character of the text."""
    return not any(is_seen(character) for character in tokens.text[slice(*(tokens.spans[place] or (0, 0)))])


def _label_of(tokens: Tokens, word: Places) -> str:
    spans = [span for place in word if (span := tokens.spans[place])]
    if len(word) == 1:
        return tokens.labels[word[0]]
    return bounded(visible(tokens.text[min(start for start, _ in spans) : max(end for _, end in spans)]))
