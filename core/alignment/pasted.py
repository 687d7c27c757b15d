"""Links that somebody typed or pasted, in the format of Pharaoh: `0-0 1-2 2p1`, the source word first.

`i-j` is a sure link, `ipj` a possible one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.alignment.links import Link
from core.errors import HeadlightError
from core.text import shortened

# Each word of one text may be linked to each of the other; beyond this, nobody has made the links by hand.
MOST_LINKS = 10_000
_LINK = re.compile(r"([0-9]{1,9})([-–p?])([0-9]{1,9})", re.ASCII)
_SURE = "-–"


def parse_links(
    text: str, source_words: Sequence[str], target_words: Sequence[str], first: int = 0
) -> tuple[set[Link], set[Link]]:
    """Sure links, and possible links, which hold the sure ones too: (target place, source place), counted from 0.

    text: links between spaces, commas or line breaks. source_words, target_words: the words that they lie between.
    first: the number of the first word, 0 or 1. Raises HeadlightError, one sentence, for anything else.
    """
    if first not in (0, 1):
        raise HeadlightError("Words are counted from 0 or from 1: choose one of the two.")
    parts = text.replace(",", " ").split()
    if not parts:
        raise HeadlightError("There are no links: give them as 0-0 1-2, the number of the source word first.")
    if len(parts) > MOST_LINKS:
        raise HeadlightError(f"There are {len(parts):,} links and at most {MOST_LINKS:,} are read: give fewer.")
    sure: set[Link] = set()
    possible: set[Link] = set()
    for part in parts:
        match = _LINK.fullmatch(part)
        if match is None:
            raise HeadlightError(
                f"“{shortened(part, 30)}” is no link: give links as 0-0 for a sure and 0p0 for a possible one."
            )
        source, kind, target = int(match[1]) - first, match[2], int(match[3]) - first
        _require_place(part, "source", source, len(source_words), first)
        _require_place(part, "target", target, len(target_words), first)
        possible.add((target, source))
        if kind in _SURE:
            sure.add((target, source))
    return sure, possible


def _require_place(part: str, side: str, place: int, words: int, first: int) -> None:
    if 0 <= place < words:
        return
    last = words - 1 + first
    hint = " or say that words are counted from 1" if place == words and not first else ""
    hint = " or say that words are counted from 0" if place < 0 else hint
    raise HeadlightError(
        f"The link {part} names {side} word {place + first}, and the {side} has words {first} to {last}: mend it{hint}."
    )
