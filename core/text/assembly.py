"""From what a tokenizer reads to `Tokens`: spans, labels, words, and what is cut because the model reads no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from core.text.characters import Span
from core.text.labels import make_labels
from core.text.reader import Reading
from core.text.spans import mend_spans
from core.text.tokens import Tokens
from core.text.words import number_words

T = TypeVar("T")


def assemble(
    text: str,
    text_pair: str | None,
    reading: Reading,
    space_mark: str | None,
    knows_words: bool,
    unknown_id: int | None,
    max_length: int,
) -> Tokens:
    """Tokens of a text, or of a pair, in which at most max_length tokens are kept."""
    ids, sequences = reading.ids, reading.sequences
    kept = fit(sequences, max_length)
    spans: list[Span | None] = [None] * len(ids)
    words: list[int | None] = [None] * len(ids)
    labels = list(reading.pieces)
    counted = 0
    for sequence, own_text in enumerate([text] if text_pair is None else [text, text_pair]):
        places = [i for i, s in enumerate(sequences) if s == sequence]
        pieces = _pick(reading.pieces, places)
        mended = mend_spans(own_text, _pick(reading.offsets, places), pieces, space_mark)
        shown = make_labels(own_text, mended, pieces, space_mark)
        numbers = words_of(own_text, mended, pieces, _pick(reading.words, places), knows_words, space_mark)
        for i, span, label, number in zip(places, mended, shown, numbers, strict=True):
            spans[i], labels[i], words[i] = span, label, counted + number
        counted += len(set(numbers))
    own = [sequence is not None for sequence in sequences]
    return Tokens(
        text=text,
        text_pair=text_pair,
        ids=_pick(ids, kept),
        pieces=_pick(reading.pieces, kept),
        labels=_pick(labels, kept),
        spans=_pick(spans, kept),
        sequences=_pick(sequences, kept),
        words=_pick(words, kept),
        type_ids=_pick(reading.type_ids, kept),
        special=tuple(not own[i] for i in kept),
        unknown=tuple(own[i] and ids[i] == unknown_id for i in kept),
        dropped=len(ids) - len(kept),
    )


def words_of(
    text: str,
    spans: Sequence[Span],
    pieces: Sequence[str],
    told: Sequence[int | None],
    knows_words: bool,
    space_mark: str | None,
) -> list[int]:
    """Word numbers of one text's tokens; see `number_words`."""
    lone = [space_mark is not None and bool(piece) and not piece.strip(space_mark) for piece in pieces]
    return number_words(text, spans, lone, told, knows_words)


def fit(sequences: Sequence[int | None], max_length: int) -> list[int]:
    """Positions that stay when at most max_length may: special tokens always, the longer text is cut first."""
    places = {s: [i for i, other in enumerate(sequences) if other == s] for s in (None, 0, 1)}
    room = max(0, max_length - len(places[None]))
    while len(places[0]) + len(places[1]) > room:
        longer, other = (0, 1) if len(places[0]) >= len(places[1]) else (1, 0)
        excess = len(places[0]) + len(places[1]) - room
        cut = max(1, min(excess, len(places[longer]) - len(places[other])))
        del places[longer][len(places[longer]) - cut :]
    return sorted(places[None] + places[0] + places[1])


def _pick(column: Sequence[T], kept: Sequence[int]) -> tuple[T, ...]:
    return tuple(column[i] for i in kept)
