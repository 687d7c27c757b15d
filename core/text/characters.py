"""What kind a character is: which ones belong together, which stand for a word alone, which draw nothing."""

from __future__ import annotations

import re
import unicodedata

Span = tuple[int, int]

JOINER = "\u200d"
_NON_JOINER = "\u200c"
# Scripts written without spaces between words, in which each sign carries a meaning or a syllable.
_IDEOGRAPH = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)
_PICTURE = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
# Skin tones and the letters of flags such as Scotland's change the picture before them.
_CHANGES_PICTURE = re.compile("[\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
_LATER_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


def stands_alone(character: str) -> bool:
    """Whether a character is a word by itself: an ideograph, a kana, an emoji."""
    return bool(_IDEOGRAPH.match(character) or _PICTURE.match(character))


def is_sign(character: str) -> bool:
    """Punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"


def is_seen(character: str) -> bool:
    """Whether a character draws something: no white space, no control."""
    return unicodedata.category(character)[0] not in "CZ"


def is_control(character: str) -> bool:
    """A character that steers rather than draws, or that stands for nothing."""
    return unicodedata.category(character)[0] == "C"


def clings(character: str) -> bool:
    """Whether a character only changes the one before it: a combining mark, a joiner, a skin tone."""
    return (
        character in (JOINER, _NON_JOINER)
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
        or bool(_CHANGES_PICTURE.match(character) or _LATER_JAMO.match(character))
    )


def continues(text: str, place: int) -> bool:
    """Whether the character at a place belongs to what a reader takes for one sign with the character before it."""
    if not 0 < place < len(text):
        return False
    before, character = text[place - 1], text[place]
    if before.isspace():
        return before + character == "\r\n"
    if clings(character) or before == JOINER:
        return True
    if _FLAG_LETTER.match(character):
        start = place
        while start and _FLAG_LETTER.match(text[start - 1]):
            start -= 1
        return (place - start) % 2 == 1  # flags are pairs of letters
    return False


def composes(before: str, character: str) -> bool:
    """Whether normalisers may make one character of the two, as of half a Korean syllable and its other half."""
    apart = len(unicodedata.normalize("NFKC", before)) + len(unicodedata.normalize("NFKC", character))
    return len(unicodedata.normalize("NFKC", before + character)) < apart
