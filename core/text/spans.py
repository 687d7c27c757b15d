"""Which characters of the text each token covers, mended where tokenizers misreport them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.text.characters import Span, clings, composes, is_control, is_seen

_BYTE_PIECE = re.compile("<0x([0-9A-F]{2})>")


def mend_spans(text: str, offsets: Sequence[Span], pieces: Sequence[str], space_mark: str | None = None) -> list[Span]:
    """Spans of one text's tokens, from the offsets that the tokenizer reports.

    space_mark: the sign that stands for white space in pieces (`Ġ`, `▁`), None where no sign does. A mark covers the
    white space of the text that it stands for. One that the tokenizer put before the text stands for none.
    Bytes of characters outside the vocabulary are told apart where they are reported as one lump.
    Normalisers drop combining marks and joiners, or the letter before them: both go to the token of the other.
    The spans keep the order of the tokens and stay inside the text.
    """
    spans = _return_marks(text, _spread_bytes(_in_order(offsets, len(text)), pieces))
    if space_mark is not None:
        spans = _marked_spaces(text, spans, pieces, space_mark)
    return _in_order(spans, len(text))


def byte_of(piece: str) -> int | None:
    """The byte that a piece such as `<0x0A>` stands for, None for other pieces."""
    match = _BYTE_PIECE.fullmatch(piece)
    return int(match[1], 16) if match else None


def character_lengths(data: bytes) -> Iterator[tuple[str, int]]:
    """Each character of UTF-8 bytes with the number of its bytes; a byte that belongs to none is U+FFFD."""
    for character in data.decode("utf-8", "surrogateescape"):
        broken = "\udc80" <= character <= "\udcff"
        yield ("\N{REPLACEMENT CHARACTER}", 1) if broken else (character, len(character.encode()))


def _in_order(offsets: Sequence[Span], length: int) -> list[Span]:
    """Spans inside the text that never go back; one without characters stands behind those before it."""
    spans, start, end = [], 0, 0
    for first, last in offsets:
        start = max(start, min(first, length)) if first < last else max(end, min(first, length))
        end = max(end, start, min(last, length))
        spans.append((start, end))
    return spans


def _spread_bytes(spans: list[Span], pieces: Sequence[str]) -> list[Span]:
    """Several characters outside the vocabulary may come as one lump of bytes, each said to cover all of them."""
    mended = []
    for (span, is_byte), run in groupby(
        zip(spans, pieces, strict=True), lambda pair: (pair[0], byte_of(pair[1]) is not None)
    ):
        values = [byte_of(piece) or 0 for _, piece in run]
        lengths = [length for _, length in character_lengths(bytes(values))] if is_byte else []
        if len(lengths) == span[1] - span[0] and len(lengths) > 1:
            places = (span[0] + i for i, length in enumerate(lengths) for _ in range(length))
            mended += [(place, place + 1) for place in places]
        else:
            mended += [span] * len(values)
    return mended


def _marked_spaces(text: str, spans: list[Span], pieces: Sequence[str], mark: str) -> list[Span]:
    mended: list[Span] = []
    following = [*spans, (len(text), len(text))][1:]
    for (start, end), piece, (upcoming, upcoming_end) in zip(spans, pieces, following, strict=True):
        if piece.startswith(mark):
            own = text[start : start + 1]
            is_only_mark = not piece.strip(mark)
            is_taken = is_only_mark and upcoming == start < upcoming_end  # by the token that the mark was put before
            is_part = bool(mended) and mended[-1][1] > start  # of a character that became several words
            stands_for_own = (own.isspace() or own == mark) and not is_taken
            if is_only_mark and not stands_for_own and not is_part:
                end = start
            # White space before the first token was cut off, and the mark put there anyhow.
            if mended and text[mended[-1][1] : start].isspace():
                start, stands_for_own = mended[-1][1], True
            if is_only_mark and stands_for_own and text[end:upcoming].isspace():
                end = upcoming
        mended.append((start, end))
    return mended


def _return_marks(text: str, spans: Sequence[Span]) -> list[Span]:
    covered = {i for span in spans for i in range(*span)}
    mended = []
    for start, end in spans:
        while start < end < len(text) and end not in covered and _belongs(text[end - 1], text[end]):
            end += 1
        # Where one character became two and the next was dropped, the library counts the second to that one.
        leans = start < end and (clings(text[start]) or is_control(text[start]))
        if leans and start > 0 and start - 1 not in covered and is_seen(text[start - 1]):
            start -= 1
        mended.append((start, end))
    return mended


def _belongs(before: str, character: str) -> bool:
    return clings(character) or composes(before, character)
