"""Encoders that need no files: characters, bytes, words between spaces. For networks trained here and for uploads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import HeadlightError
from core.text.characters import Span
from core.text.encoder import TextEncoder
from core.text.labels import visible
from core.text.reader import Reading
from core.text.spans import byte_of

Split = Callable[[str], list[tuple[str, Span]]]
_NO_MORE = 1_000_000


@dataclass(frozen=True)
class PlainReader:
    """A tokenizer that is a way to split and a vocabulary.

    split: the pieces of a text with the characters that they cover. glue: what stands between pieces in a text.
    knows_words: whether its pieces are words.
    unknown, start, end: names in the vocabulary, None where there is none; `start text end pair end` is the template.
    Raises HeadlightError for a name that is not in it.
    """

    split: Split
    vocabulary: Mapping[str, int]
    glue: str = ""
    unknown: str | None = None
    start: str | None = None
    end: str | None = None
    knows_words: bool = False
    space_mark: str | None = None

    def __post_init__(self) -> None:
        for name in self.special_names:
            if name not in self.vocabulary:
                raise HeadlightError(f"The vocabulary has no token “{visible(name)}”: add it, or name another one.")

    @property
    def special_names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.unknown, self.start, self.end) if name is not None)

    @property
    def special_ids(self) -> frozenset[int]:
        return frozenset(self.vocabulary[name] for name in self.special_names)

    def read(self, text: str, text_pair: str | None) -> Reading:
        rows = self._rows(text, 0)
        if text_pair is not None:
            rows += self._rows(text_pair, 1)
        if self.start is not None:
            rows = [(self.start, None, (0, 0)), *rows]
        return Reading(
            ids=[self.vocabulary[p] if s is None else self._id_of(p) for p, s, _ in rows],
            pieces=[piece for piece, _, _ in rows],
            sequences=[sequence for _, sequence, _ in rows],
            offsets=[span for _, _, span in rows],
            words=[i if self.knows_words and s is not None else None for i, (_, s, _) in enumerate(rows)],
            type_ids=_type_ids([sequence for _, sequence, _ in rows]),
        )

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        names = {number: piece for piece, number in self.vocabulary.items()}
        return [names.get(i, f"⟨id={i}⟩") for i in ids]

    def bytes_of(self, pieces: Sequence[str]) -> list[bytes]:
        found = []
        for i, piece in enumerate(pieces):
            byte = byte_of(piece)
            found.append((self.glue * bool(i) + piece).encode() if byte is None else bytes([byte]))
        return found

    def _rows(self, text: str, sequence: int) -> list[tuple[str, int | None, Span]]:
        rows: list[tuple[str, int | None, Span]] = [(piece, sequence, span) for piece, span in self.split(text)]
        return rows if self.end is None else [*rows, (self.end, None, (0, 0))]

    def _id_of(self, piece: str) -> int:
        """Special names are no pieces: who types them has typed something unknown."""
        known = None if piece in self.special_names else self.vocabulary.get(piece)
        if known is not None:
            return known
        if self.unknown is None:
            raise HeadlightError(f"The model has no token for “{visible(piece)}”: leave it out.")
        return self.vocabulary[self.unknown]


def character_encoder(
    vocabulary: Sequence[str],
    max_length: int = _NO_MORE,
    unknown: str | None = None,
    start: str | None = None,
    end: str | None = None,
) -> TextEncoder:
    """One token a character. vocabulary: every token in the order of the ids, with the names of the special ones.

    unknown, start, end: such names; None or "" for none. Raises HeadlightError for one that is not in the vocabulary.
    """
    named = (unknown or None, start or None, end or None)
    return _encoder(PlainReader(_characters, _numbered(vocabulary), "", *named), max_length)


def word_encoder(
    vocabulary: Sequence[str],
    max_length: int = _NO_MORE,
    unknown: str | None = None,
    start: str | None = None,
    end: str | None = None,
) -> TextEncoder:
    """One token a word between white space, as in `character_encoder`."""
    named = (unknown or None, start or None, end or None)
    reader = PlainReader(_between_spaces, _numbered(vocabulary), " ", *named, knows_words=True)
    return _encoder(reader, max_length)


def byte_encoder(
    special: Sequence[str] = (), max_length: int = _NO_MORE, start: str | None = None, end: str | None = None
) -> TextEncoder:
    """One token a byte of UTF-8. special: names of the first ids, after which the 256 bytes follow."""
    vocabulary = _numbered([*special, *(f"<0x{byte:02X}>" for byte in range(256))])
    return _encoder(PlainReader(_bytes, vocabulary, "", None, start or None, end or None), max_length)


def _encoder(reader: PlainReader, max_length: int) -> TextEncoder:
    unknown = None if reader.unknown is None else reader.vocabulary[reader.unknown]
    end = None if reader.end is None else reader.vocabulary[reader.end]
    return TextEncoder(reader, unknown, max_length, end)


def _numbered(vocabulary: Sequence[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(vocabulary)}


def _characters(text: str) -> list[tuple[str, Span]]:
    return [(character, (i, i + 1)) for i, character in enumerate(text)]


def _between_spaces(text: str) -> list[tuple[str, Span]]:
    return [(match[0], match.span()) for match in re.finditer(r"\S+", text)]


def _bytes(text: str) -> list[tuple[str, Span]]:
    return [(f"<0x{byte:02X}>", (i, i + 1)) for i, character in enumerate(text) for byte in character.encode()]


def _type_ids(sequences: Sequence[int | None]) -> list[int]:
    """BERT's: 1 for the pair and what comes after it."""
    second = sequences.index(1) if 1 in sequences else len(sequences)
    return [int(i >= second) for i in range(len(sequences))]
