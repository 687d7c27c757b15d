"""From text to `Tokens` and from ids to `Tokens`, for tokenizers of every kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import tokenizers

from core.errors import HeadlightError
from core.text.assembly import assemble
from core.text.cleaning import replace_lone_surrogates, require_text
from core.text.fast import FastReader
from core.text.reader import Reader
from core.text.tokens import Tokens
from core.text.written import joined, written_tokens


@dataclass(frozen=True)
class TextEncoder:
    """A tokenizer fixed for Headlight: never pads, never parses special tokens out of a user's text.

    reader: the tokenizer itself.
    unknown_id: the id that stands for characters outside the vocabulary, None where there is none.
    max_length: tokens the model reads, special ones included; what comes after is cut and counted.
    end_id: the token that ends a text, None where the tokenizer has none.
    target: the tokenizer of an encoder-decoder's target texts, None where it is the same.
    mask_id: the token that hides a word from a masked language model, None where there is none.
    Encoding changes nothing, so threads share one encoder.
    """

    reader: Reader
    unknown_id: int | None
    max_length: int
    end_id: int | None = None
    target: Reader | None = None
    mask_id: int | None = None

    @classmethod
    def fix(
        cls, backend: tokenizers.Tokenizer, unknown_id: int | None, max_length: int, end_id: int | None = None
    ) -> TextEncoder:
        """An encoder around a copy of a tokenizer of the `tokenizers` library."""
        return cls(FastReader.fixed(backend), unknown_id, max_length, end_id)

    @property
    def special_names(self) -> tuple[str, ...]:
        """How the vocabulary spells its special tokens."""
        return self.reader.special_names

    def encode(self, text: str, text_pair: str | None = None) -> Tokens:
        """Tokens of one text or of a pair. Raises HeadlightError when a text gives the model nothing to read."""
        return self._encode(self.reader, text, text_pair)

    def encode_target(self, text: str) -> Tokens:
        """Tokens of what an encoder-decoder is to say, with its end token; the caller puts the start token first."""
        return self._encode(self.target or self.reader, text, None)

    def with_masks(self, tokens: Tokens) -> Tokens:
        """The tokens with a mask wherever its spelling was typed, for a model that fills masks in.

        Raises HeadlightError where a token holds the end of the spelling and more, which would be lost.
        """
        name = "" if self.mask_id is None else next(iter(self.reader.pieces_of([self.mask_id])))
        if name not in tokens.literals:
            return tokens
        for sequence, text in ((1, tokens.text_pair or ""), (0, tokens.text)):
            for start in reversed([found.start() for found in re.finditer(re.escape(name), text)]):
                tokens = self._with_mask(tokens, sequence, text, start, start + len(name))
        return replace(tokens, literals=tuple(literal for literal in tokens.literals if literal != name))

    def _with_mask(self, tokens: Tokens, sequence: int, text: str, start: int, end: int) -> Tokens:
        """One mask in the place of the tokens of these characters."""
        spans = [
            (place, span)
            for place, (span, of) in enumerate(zip(tokens.spans, tokens.sequences, strict=True))
            if span is not None and of == sequence and span[0] < end and span[1] > start
        ]
        if not spans:  # it was cut off
            return tokens
        around = text[spans[0][1][0] : start] + text[end : spans[-1][1][1]]
        if around.strip():
            raise HeadlightError(f"{text[start:end]} is part of a longer token here: put spaces around it.")
        return self.masked(tokens, spans[0][0], spans[-1][0])

    def masked(self, tokens: Tokens, first: int, last: int | None = None) -> Tokens:
        """The tokens with one mask in the place of those from the first to the last, or of the first alone."""
        assert self.mask_id is not None
        last = first if last is None else last
        name = next(iter(self.reader.pieces_of([self.mask_id])))
        begins, ends = tokens.spans[first], tokens.spans[last]
        span = None if begins is None or ends is None else (begins[0], ends[1])
        mask: dict[str, Any] = dict(
            ids=self.mask_id, pieces=name, labels=name, spans=span, sequences=tokens.sequences[first], words=None,
            type_ids=tokens.type_ids[first], special=True, unknown=False,
        )  # fmt: skip
        columns: dict[str, Any] = {key: getattr(tokens, key) for key in mask}
        changed: dict[str, Any] = {k: (*column[:first], mask[k], *column[last + 1 :]) for k, column in columns.items()}
        return replace(tokens, **changed)

    def tokens_of_ids(self, ids: Sequence[int], continuing: bool = False) -> Tokens:
        """Tokens of ids that a model wrote; their text is what the ids spell, special tokens are marked.

        continuing: whether they go on from some text. Only then does a space before the first word belong to them;
        at the beginning of a text it is the tokenizer's own, and no part of the text.
        """
        reader = self.target or self.reader
        # GPT-2 and its kin call their end token unknown too; what they write is the end.
        unknown = None if self.unknown_id == self.end_id else self.unknown_id
        return written_tokens(reader, unknown, ids, continuing)

    def continued(self, tokens: Tokens, ids: Sequence[int]) -> Tokens:
        """The tokens of a text and, after them, those that a model wrote as its continuation."""
        return joined(tokens, self.tokens_of_ids(ids, continuing=not tokens.special[-1]))

    def _encode(self, reader: Reader, text: str, text_pair: str | None) -> Tokens:
        text, replaced = replace_lone_surrogates(text)
        require_text(text)
        if text_pair is not None:
            text_pair, replaced_in_pair = replace_lone_surrogates(text_pair)
            replaced += replaced_in_pair
            require_text(text_pair)
        reading = reader.read(text, text_pair)
        _require_tokens(reading.sequences, texts=1 if text_pair is None else 2)
        tokens = assemble(
            text, text_pair, reading, reader.space_mark, reader.knows_words, self.unknown_id, self.max_length
        )
        literals = _typed(reader.special_names, f"{text}\n{text_pair or ''}")
        return replace(tokens, replaced=replaced, literals=literals)


def _typed(names: Sequence[str], text: str) -> tuple[str, ...]:
    """The names that occur in a text, in the order in which they do."""
    return tuple(sorted((name for name in names if name in text), key=text.index))


def _require_tokens(sequences: Sequence[int | None], texts: int) -> None:
    """Raise one sentence when a tokenizer kept nothing of a text: many drop control characters and the like."""
    if any(sequence not in sequences for sequence in range(texts)):
        raise HeadlightError("The model's tokenizer drops every character of the text: type at least one word or sign.")
