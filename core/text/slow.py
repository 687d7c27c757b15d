"""Tokenizers written in Python (Marian, ByT5, BERTweet …): they report no places, so these are found by aligning."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.text.alignment import spans_from
from core.text.characters import Span
from core.text.reader import Reading
from core.text.spelling import (
    BYTE_LEVEL_SPACE,
    METASPACE,
    byte_level_bytes,
    metaspace_bytes,
    place_bytes,
    spelled_bytes,
)

# é in the bytes of UTF-8, as the two kinds of byte-level tokenizers written in Python spell it.
_BYTES_OF_E_ACUTE = ["Ã", "©"]


@dataclass(frozen=True)
class SlowReader:
    """A transformers tokenizer without a backend; build it with `fixed`. Reading changes nothing in it.

    User text is never parsed for special tokens; other added tokens are read as one token, as in `FastReader`.
    """

    tokenizer: Any = field(repr=False)
    special_names: tuple[str, ...] = field(repr=False)
    special_ids: frozenset[int] = field(repr=False)
    added: re.Pattern[str] | None
    to_bytes: Callable[[str], bytes] | None
    space_mark: str | None
    puts_space_first: bool
    knows_words: bool = False

    @classmethod
    def fixed(cls, tokenizer: Any) -> SlowReader:
        """Find out once how a tokenizer spells; it becomes the reader's own, and nobody else may change it."""
        special = set(tokenizer.all_special_tokens)
        special |= {str(t) for t in tokenizer.added_tokens_decoder.values() if t.special}
        added = {str(t) for t in tokenizer.added_tokens_decoder.values()} - special
        longest_first = sorted(added, key=len, reverse=True)
        return cls(
            tokenizer=tokenizer,
            special_names=tuple(sorted(special)),
            special_ids=frozenset(tokenizer.convert_tokens_to_ids(sorted(special))),
            added=re.compile("|".join(re.escape(name) for name in longest_first)) if longest_first else None,
            to_bytes=_byte_speller(tokenizer),
            space_mark=_space_mark(tokenizer),
            puts_space_first="".join(tokenizer.tokenize("a")).startswith(METASPACE),
        )

    def read(self, text: str, text_pair: str | None) -> Reading:
        texts = [text] if text_pair is None else [text, text_pair]
        pieces = [self._pieces(t) for t in texts]
        offsets = [self._offsets(p, t) for p, t in zip(pieces, texts, strict=True)]
        order, type_ids = self._template([len(p) for p in pieces])
        own = [(p, s, o) for s in range(len(texts)) for p, o in zip(pieces[s], offsets[s], strict=True)]
        ids = [self._id_of(piece) for piece, _, _ in own]
        special = {i: self.tokenizer.convert_ids_to_tokens(i) for i in order if i >= 0}
        return Reading(
            ids=[i if i >= 0 else ids[-1 - i] for i in order],
            pieces=[special[i] if i >= 0 else own[-1 - i][0] for i in order],
            sequences=[None if i >= 0 else own[-1 - i][1] for i in order],
            offsets=[(0, 0) if i >= 0 else own[-1 - i][2] for i in order],
            words=[None] * len(order),
            type_ids=type_ids,
        )

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        return [str(piece) for piece in self.tokenizer.convert_ids_to_tokens(list(ids))]

    def bytes_of(self, pieces: Sequence[str]) -> list[bytes]:
        if self.to_bytes is not None:
            return [self.to_bytes(piece) for piece in pieces]
        if self.space_mark == METASPACE:
            return metaspace_bytes(pieces, self.puts_space_first)
        return spelled_bytes(pieces, self.tokenizer.convert_tokens_to_string)

    def _template(self, lengths: Sequence[int]) -> tuple[list[int], list[int]]:
        """The order of tokens in the model's template, -1 - i for the i-th of the texts, and segment numbers."""
        places = [-1 - i for i in range(sum(lengths))]
        texts = [places[: lengths[0]], *([places[lengths[0] :]] if len(lengths) > 1 else [])]
        order = list(self.tokenizer.build_inputs_with_special_tokens(*texts))
        type_ids = list(self.tokenizer.create_token_type_ids_from_sequences(*texts))
        return order, type_ids if len(type_ids) == len(order) else [0] * len(order)

    def _pieces(self, text: str) -> list[str]:
        pieces: list[str] = []
        start = 0
        for match in self.added.finditer(text) if self.added else ():
            pieces += [*self._tokenize(text[start : match.start()]), match[0]]
            start = match.end()
        return pieces + self._tokenize(text[start:])

    def _tokenize(self, text: str) -> list[str]:
        return list(self.tokenizer.tokenize(text, split_special_tokens=True)) if text else []

    def _offsets(self, pieces: Sequence[str], text: str) -> list[Span]:
        unknown = self.tokenizer.unk_token
        chunks = [b"" if p == unknown else c for p, c in zip(pieces, self.bytes_of(pieces), strict=True)]
        spelled, spans, _ = place_bytes(chunks)
        return spans_from(spelled, spans, text)

    def _id_of(self, piece: str) -> int:
        """Some look up whatever stands between spaces: who types a special token there has typed something unknown."""
        number: int = self.tokenizer.convert_tokens_to_ids(piece)
        unknown: int | None = self.tokenizer.unk_token_id
        return unknown if number in self.special_ids and unknown is not None else number


def _space_mark(tokenizer: Any) -> str | None:
    spelled = "".join(tokenizer.tokenize("a b"))
    return next((mark for mark in (METASPACE, BYTE_LEVEL_SPACE) if mark in spelled), None)


def _byte_speller(tokenizer: Any) -> Callable[[str], bytes] | None:
    """How the pieces of a byte-level tokenizer become bytes; None for tokenizers of other kinds."""
    if tokenizer.convert_tokens_to_string(_BYTES_OF_E_ACUTE) != "é":
        return None
    return byte_level_bytes if _space_mark(tokenizer) == BYTE_LEVEL_SPACE else _latin_1_bytes


def _latin_1_bytes(piece: str) -> bytes:
    """ByT5 writes each byte as the character of that number; longer pieces are added tokens."""
    return bytes([ord(piece)]) if len(piece) == 1 and ord(piece) < 256 else piece.encode()
