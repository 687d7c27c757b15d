"""Text and its words as a person aligns them: "l'" and "homme" are two words, "don't" is one, 。 is a word.

`split_words` takes a text apart, `spelled` puts words together again as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.text.characters import continues, is_sign, stands_alone

_INNER = "'’-‐‑"
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\w)", re.IGNORECASE)
# What a French verb carries behind a hyphen: as-tu, donne-moi, a-t-il.
_PRONOUN = re.compile(r"(?<=\w)-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|moi|toi|lui|leur)$", re.IGNORECASE)
_CLOSING = ".,;:?!…%)]}”"
_SPACED_IN_FRENCH = ";:?!"
_OPENING = "([{“¿¡"


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, punctuation marks among them.

    Ideographs, kana and emoji are words by themselves, since only a reader knows which of them belong together.
    """
    words: list[str] = []
    for run in text.split():
        start = 0
        for place in range(1, len(run) + 1):
            if place == len(run) or _parted(run, place):
                words += _without_clitics(run[start:place])
                start = place
    return tuple(words)


def spelled(words: Sequence[str], french: bool = False) -> str:
    """The text that the words are written as: no space before a full stop, after "l'" or between ideographs.

    french: whether a space stands before ? and its like, and none after a word that ends in an apostrophe.
    """
    text = ""
    for word in words:
        text += word if not text or _joined(text, word, french) else " " + word
    return text


def _parted(run: str, place: int) -> bool:
    """Whether a word begins at a place inside a run of characters without white space."""
    before, character = run[place - 1], run[place]
    if continues(run, place):
        return False
    if _is_inner(run, place) or _is_inner(run, place - 1):
        return False
    if is_sign(before) or is_sign(character):
        return before != character
    return stands_alone(before) or stands_alone(character)


def _is_inner(run: str, place: int) -> bool:
    """Whether an apostrophe or a hyphen, or a point between digits, stands inside a word."""
    around = run[place - 1 : place], run[place + 1 : place + 2]
    if run[place] in ".,":
        return all(side.isdigit() for side in around)
    return run[place] in _INNER and all(side.isalnum() and not stands_alone(side) for side in around)


def _without_clitics(word: str) -> list[str]:
    """A word with what French writes onto it as words of their own."""
    if elided := _ELISION.match(word):
        return [elided.group(), *_without_clitics(word[elided.end() :])]
    if pronoun := _PRONOUN.search(word):
        return [word[: pronoun.start()], pronoun.group()]
    return [word]


def _joined(text: str, word: str, french: bool) -> bool:
    """Whether no space stands between a text and the word after it."""
    last, first = text[-1], word[0]
    if any(stands_alone(c) or c in "。，、！？；：（）「」『』《》" for c in (last, first)):
        return True
    if french and last in "'’":
        return True
    if first in _CLOSING:
        return not (french and first in _SPACED_IN_FRENCH)
    return last in _OPENING or (len(word) > 1 and first in _INNER)
