"""The few changes made to a user's text before any tokenizer sees it."""

from __future__ import annotations

import re

from core.errors import HeadlightError

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
MAX_CHARACTERS = 200_000
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class NothingToRead(HeadlightError):
    """There is no text, which is no fault of anybody's."""


def replace_lone_surrogates(text: str) -> tuple[str, int]:
    """Half a surrogate pair is no character and cannot be encoded: each becomes U+FFFD.

    Returns the text and the number of U+FFFD in it; those that were there before stand for broken characters too.
    """
    text = _LONE_SURROGATE.sub(REPLACEMENT, text)
    return text, text.count(REPLACEMENT)


def require_text(text: str) -> None:
    """Raise one sentence when there is nothing to read, or far more than any model reads."""
    if not text:
        raise NothingToRead("There is no text yet: type a sentence or choose an example.")
    if text.isspace():
        raise NothingToRead("The text holds only spaces: type at least one word or sign.")
    if len(text) > MAX_CHARACTERS:
        raise HeadlightError(f"The text has {len(text):,} characters: shorten it to {MAX_CHARACTERS:,} or fewer.")
