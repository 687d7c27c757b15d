"""Tokenizers written in Python (Marian, ByT5, BERTweet …): they report no places, so these are found by aligning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from transformers.tokenization_python import Trie

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

    User text is never parsed for special tokens; what else the tokenizer never splits (added tokens, the residues of a
    protein model) is read as one token, as in `FastReader`.
    tokenizer: with its special tokens, for its template. plain: the same without them, for texts.
    """

    tokenizer: Any = field(repr=False)
    plain: Any = field(repr=False)
    special_names: tuple[str, ...] = field(repr=False)
    special_ids: frozenset[int] = field(repr=False)
    spell: Callable[[Sequence[str]], list[bytes]] = field(repr=False)
    space_mark: str | None
    knows_words: bool = False

    @classmethod
    def fixed(cls, tokenizer: Any) -> SlowReader:
        """Find out once how a tokenizer spells; it becomes the reader's own, and nobody else may change it."""
        special = set(tokenizer.all_special_tokens)
        special |= {str(t) for t in tokenizer.added_tokens_decoder.values() if t.special}
        # A sign that any text is spelled with is none, as the `|` between words of Wav2Vec2.
        special -= set(tokenizer.tokenize("a b")) - {tokenizer.unk_token}
        return cls(
            tokenizer=tokenizer,
            plain=_without(special, tokenizer),
            special_names=tuple(sorted(special)),
            special_ids=frozenset(tokenizer.convert_tokens_to_ids(sorted(special))),
            spell=_speller(tokenizer),
            space_mark=_space_mark(tokenizer),
        )

    def read(self, text: str, text_pair: str | None) -> Reading:
        texts = [text] if text_pair is None else [text, text_pair]
        pieces = [list(self.plain.tokenize(t)) for t in texts]
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
        return self.spell(pieces)

    def _template(self, lengths: Sequence[int]) -> tuple[list[int], list[int]]:
        """The order of tokens in the model's template, -1 - i for the i-th of the texts, and segment numbers."""
        places = [-1 - i for i in range(sum(lengths))]
        texts = [places[: lengths[0]], *([places[lengths[0] :]] if len(lengths) > 1 else [])]
        order = list(self.tokenizer.build_inputs_with_special_tokens(*texts))
        type_ids = list(self.tokenizer.create_token_type_ids_from_sequences(*texts))
        return order, type_ids if len(type_ids) == len(order) else [0] * len(order)

    def _offsets(self, pieces: Sequence[str], text: str) -> list[Span]:
        """What is in the vocabulary is spelled as it is there: a text's `<SP>` is a space for some."""
        unknown, ids = self.tokenizer.unk_token, [self._id_of(piece) for piece in pieces]
        known = [
            p if i == self.tokenizer.unk_token_id else q
            for i, p, q in zip(ids, pieces, self.pieces_of(ids), strict=True)
        ]
        chunks = [b"" if p == unknown else c for p, c in zip(pieces, self.bytes_of(known), strict=True)]
        spelled, spans, _ = place_bytes(chunks)
        return spans_from(spelled, spans, text)

    def _id_of(self, piece: str) -> int:
        """Some look up whatever stands between spaces: who types a special token there has typed something unknown."""
        number: int = self.tokenizer.convert_tokens_to_ids(piece)
        unknown: int | None = self.tokenizer.unk_token_id
        return unknown if piece in self.special_names and unknown is not None else number


def _without(special: set[str], tokenizer: Any) -> Any:
    """A tokenizer that reads a text without special tokens as the given one does, and knows none in any other."""
    kind = type(tokenizer)
    # The library asks the class for them. Some go back to sources when they are copied by their own means.
    plain: Any = object.__new__(type(kind.__name__, (kind,), {"all_special_tokens": ()}))
    plain.__dict__ |= tokenizer.__dict__
    plain.tokens_trie = Trie(tokenizer.tokens_trie._tokens - special)
    plain._added_tokens_encoder = {n: i for n, i in tokenizer._added_tokens_encoder.items() if n not in special}
    return plain


def _space_mark(tokenizer: Any) -> str | None:
    spelled = "".join(tokenizer.tokenize("a b"))
    return next((mark for mark in (METASPACE, BYTE_LEVEL_SPACE) if mark in spelled), None)


def _speller(tokenizer: Any) -> Callable[[Sequence[str]], list[bytes]]:
    """How pieces become the bytes that each of them adds."""
    mark = _space_mark(tokenizer)
    if tokenizer.tokenize("a") == [f"{ord('a'):02x}"]:
        return partial(_hexadecimal_bytes, tokenizer.morphological_decode)
    # Those of speech recognition spell what was heard, in which a letter said on and on is one.
    if not isinstance(tokenizer.convert_tokens_to_string(["a"]), str):
        return lambda pieces: [piece.replace(tokenizer.word_delimiter_token, " ").encode() for piece in pieces]
    if tokenizer.convert_tokens_to_string(_BYTES_OF_E_ACUTE) == "é":
        to_bytes = byte_level_bytes if mark == BYTE_LEVEL_SPACE else _latin_1_bytes
        return lambda pieces: [to_bytes(piece) for piece in pieces]
    if mark == METASPACE:
        puts_space_first = "".join(tokenizer.tokenize("a")).startswith(METASPACE)
        return lambda pieces: metaspace_bytes(pieces, puts_space_first)
    return lambda pieces: spelled_bytes(pieces, tokenizer.convert_tokens_to_string)


def _latin_1_bytes(piece: str) -> bytes:
    """ByT5 writes each byte as the character of that number; longer pieces are added tokens."""
    return bytes([ord(piece)]) if len(piece) == 1 and ord(piece) < 256 else piece.encode()


def _hexadecimal_bytes(decode: Callable[[list[str]], list[str]], pieces: Sequence[str]) -> list[bytes]:
    """MyT5 writes each byte as two digits, and some parts of words in a code of its own.

    The first piece of a word with such a part stands for all of it. Longer pieces are added tokens.
    """
    found: list[bytes] = []
    for kind, run in groupby(pieces, lambda piece: "space" if piece == "20" else "byte" if len(piece) == 2 else piece):
        word = list(run)
        plain = decode(word) if kind == "byte" else word
        if plain == word:
            found += [bytes.fromhex(piece) if len(piece) == 2 else piece.encode() for piece in word]
        else:
            found += [bytes.fromhex("".join(plain)), *[b""] * (len(word) - 1)]
    return found
