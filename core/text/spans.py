"""Which characters of the text each token covers, mended where tokenizers under-report them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from core.text.tokens import Span

_JOINER = "\u200d"


def mend_spans(text: str, offsets: Sequence[Span], pieces: Sequence[str]) -> list[Span]:
    """Spans of one text's tokens, from the offsets that the tokenizer reports.

    Byte-level tokenizers trim white space from the offsets though the token holds it: it is given back.
    Normalisers drop combining marks and joiners: they are given to the token of the letter before them.
    The spans keep the order of the tokens and stay inside the text.
    """
    with_spaces = _return_spaces(text, offsets, pieces)
    return _return_marks(text, with_spaces)


def _return_spaces(text: str, offsets: Sequence[Span], pieces: Sequence[str]) -> list[Span]:
    spans: list[Span] = []
    reached = 0
    for (start, end), piece in zip(offsets, pieces, strict=True):
        leading, trailing = _byte_level_spaces(piece)
        if leading:
            start = _grow_left(text, min(start, end), max(reached, min(start, end) - leading))
        if trailing:
            end = _grow_right(text, end, min(len(text), end + trailing))
        spans.append((start, end))
        reached = max(reached, end)
    return spans


def _grow_left(text: str, start: int, limit: int) -> int:
    while start > limit and text[start - 1].isspace():
        start -= 1
    return start


def _grow_right(text: str, end: int, limit: int) -> int:
    while end < limit and text[end].isspace():
        end += 1
    return end


def _byte_level_spaces(piece: str) -> tuple[int, int]:
    """How many white-space signs of the byte-level alphabet a piece starts and ends with."""
    signs = "ĠĊĉč"
    leading = len(piece) - len(piece.lstrip(signs))
    trailing = 0 if leading == len(piece) else len(piece) - len(piece.rstrip(signs))
    return leading, trailing


def _return_marks(text: str, spans: Sequence[Span]) -> list[Span]:
    covered = {i for span in spans for i in range(*span)}
    mended = []
    for start, end in spans:
        while start < end < len(text) and end not in covered and _clings(text[end]):
            end += 1
        mended.append((start, end))
    return mended


def _clings(character: str) -> bool:
    return character == _JOINER or unicodedata.category(character) in ("Mn", "Me")
