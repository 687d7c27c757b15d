"""From text to `Tokens`, for every tokenizer that the `tokenizers` library runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import tokenizers

from core.errors import HeadlightError
from core.text.cleaning import replace_lone_surrogates, require_text
from core.text.labels import make_labels
from core.text.spans import mend_spans
from core.text.tokens import Span, Tokens

T = TypeVar("T")


@dataclass(frozen=True)
class TextEncoder:
    """A tokenizer fixed for Headlight: never pads, never parses special tokens out of a user's text.

    special_names: how the vocabulary spells its special tokens.
    unknown_id: the id that stands for characters outside the vocabulary, None where there is none.
    max_length: tokens the model reads, special ones included; what comes after is cut and counted.
    Build it with `TextEncoder.fix`; encoding changes nothing, so threads share one encoder.
    """

    backend: tokenizers.Tokenizer
    special_names: tuple[str, ...]
    unknown_id: int | None
    max_length: int

    @classmethod
    def fix(cls, backend: tokenizers.Tokenizer, unknown_id: int | None, max_length: int) -> TextEncoder:
        """Own a copy of a tokenizer and set it once; later calls only read it."""
        specification = json.loads(backend.to_str(), object_hook=_with_spaces_in_spans)
        own = tokenizers.Tokenizer.from_str(json.dumps(specification))
        own.no_padding()
        own.no_truncation()
        own.encode_special_tokens = True
        names = tuple(t.content for t in own.get_added_tokens_decoder().values() if t.special)
        return cls(own, names, unknown_id, max_length)

    def encode(self, text: str, text_pair: str | None = None) -> Tokens:
        """Tokens of one text or of a pair. Raises HeadlightError when a text gives the model nothing to read."""
        text, replaced = replace_lone_surrogates(text)
        require_text(text)
        if text_pair is not None:
            text_pair, replaced_in_pair = replace_lone_surrogates(text_pair)
            replaced += replaced_in_pair
            require_text(text_pair)
        encoding = self.backend.encode(text, text_pair)
        # Each of these properties builds a new list, so each is read once.
        ids, pieces, sequences = encoding.ids, encoding.tokens, encoding.sequence_ids
        _require_tokens(sequences, texts=1 if text_pair is None else 2)
        kept = _fit(sequences, self.max_length)
        spans, labels = _spans_and_labels([text, text_pair or ""], sequences, encoding.offsets, pieces)
        own = [sequence is not None for sequence in sequences]
        return Tokens(
            text=text,
            text_pair=text_pair,
            ids=_pick(ids, kept),
            pieces=_pick(pieces, kept),
            labels=_pick(labels, kept),
            spans=_pick(spans, kept),
            sequences=_pick(sequences, kept),
            words=_pick(_word_numbers(encoding.word_ids, sequences), kept),
            type_ids=_pick(encoding.type_ids, kept),
            special=tuple(not own[i] for i in kept),
            unknown=tuple(own[i] and ids[i] == self.unknown_id for i in kept),
            dropped=len(ids) - len(kept),
            replaced=replaced,
            literals=_typed(self.special_names, f"{text}\n{text_pair or ''}"),
        )


def _with_spaces_in_spans(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a tokenizer's specification, told to report the white space that byte-level tokens hold."""
    return part | {"trim_offsets": False} if part.get("trim_offsets") is True else part


def _typed(names: Sequence[str], text: str) -> tuple[str, ...]:
    """The names that occur in a text, in the order in which they do."""
    return tuple(sorted((name for name in names if name in text), key=text.index))


def _require_tokens(sequences: Sequence[int | None], texts: int) -> None:
    """Raise one sentence when a tokenizer kept nothing of a text: many drop control characters and the like."""
    if any(sequence not in sequences for sequence in range(texts)):
        raise HeadlightError("The model's tokenizer drops every character of the text: type at least one word or sign.")


def _spans_and_labels(
    texts: Sequence[str],
    sequences: Sequence[int | None],
    offsets: Sequence[Span],
    pieces: Sequence[str],
) -> tuple[list[Span | None], list[str]]:
    """Both for every token of both texts; a special token keeps None and its piece."""
    spans: list[Span | None] = [None] * len(pieces)
    labels = list(pieces)
    for sequence, text in enumerate(texts):
        places = [i for i, s in enumerate(sequences) if s == sequence]
        own_pieces = [pieces[i] for i in places]
        mended = mend_spans(text, [offsets[i] for i in places], own_pieces)
        for i, span, label in zip(places, mended, make_labels(text, mended, own_pieces), strict=True):
            spans[i], labels[i] = span, label
    return spans, labels


def _pick(column: Sequence[T], kept: Sequence[int]) -> tuple[T, ...]:
    return tuple(column[i] for i in kept)


def _fit(sequences: Sequence[int | None], max_length: int) -> list[int]:
    """Positions that stay when at most max_length may: special tokens always, the longer text is cut first."""
    places = {s: [i for i, other in enumerate(sequences) if other == s] for s in (None, 0, 1)}
    room = max(0, max_length - len(places[None]))
    while len(places[0]) + len(places[1]) > room:
        longer, other = (0, 1) if len(places[0]) >= len(places[1]) else (1, 0)
        excess = len(places[0]) + len(places[1]) - room
        cut = max(1, min(excess, len(places[longer]) - len(places[other])))
        del places[longer][len(places[longer]) - cut :]
    return sorted(places[None] + places[0] + places[1])


def _word_numbers(words: Sequence[int | None], sequences: Sequence[int | None]) -> list[int | None]:
    """Word indices counted on through both texts: the library starts again at 0 for the second."""
    in_first = [w for w, s in zip(words, sequences, strict=True) if s == 0 and w is not None]
    shift = max(in_first, default=-1) + 1
    return [
        None if s is None or w is None else w + (shift if s == 1 else 0) for w, s in zip(words, sequences, strict=True)
    ]
