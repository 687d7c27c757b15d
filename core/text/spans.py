"""Which characters of the text each token covers, mended where tokenizers under-report them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from core.text.tokens import Span

BYTE_LEVEL_SPACE = "Ġ"
_JOINER = "\u200d"


def mend_spans(text: str, offsets: Sequence[Span], pieces: Sequence[str]) -> list[Span]:
    """Spans of one text's tokens, from the offsets that the tokenizer reports.

    Some byte-level tokenizers put a space before the text: as a token of its own it covers no character.
    Normalisers drop combining marks and joiners: they are given to the token of the letter before them.
    The spans keep the order of the tokens and stay inside the text.
    """
    return _return_marks(text, _without_added_space(text, offsets, pieces))


def _without_added_space(text: str, offsets: Sequence[Span], pieces: Sequence[str]) -> list[Span]:
    spans = list(offsets)
    if spans and pieces[0] == BYTE_LEVEL_SPACE and text[spans[0][0]] not in (" ", BYTE_LEVEL_SPACE):
        spans[0] = (spans[0][0], spans[0][0])
    return spans


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
