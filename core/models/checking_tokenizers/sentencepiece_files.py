"""SentencePiece's model files, read by ourselves: protocol buffers whose every length is checked.

Source: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.models.checking_files.telling import Wrong, distrusted, require_nbytes
from core.models.checking_tokenizers.bounds import LONGEST_PIECE, MOST_NBYTES, MOST_PIECES
from core.models.checking_tokenizers.charsmap import is_sound

# Numbers of the fields that are looked into: of the model, of a piece, of a normaliser.
PIECE, NORMALIZER, DENORMALIZER = 1, 3, 5
NAME = 1
CHARSMAP = 2
_VARINT, _EIGHT_BYTES, _COUNTED, _FOUR_BYTES = 0, 1, 2, 5
_MOST_FIELDS = 4 * MOST_PIECES


@dataclass(frozen=True)
class SentencePieceFacts:
    """pieces: how many a model has. is_sound: whether its normalisers stay inside their tables for every text."""

    pieces: int
    is_sound: bool


def sentencepiece_facts(path: Path) -> SentencePieceFacts:
    """What a SentencePiece model file holds. Raises HeadlightError, one sentence, for one that is none."""
    with distrusted(path) as (file, nbytes):
        require_nbytes(nbytes, MOST_NBYTES)
        pieces, charsmaps = 0, []
        for number, value in fields(file.read(MOST_NBYTES + 1)):
            if number == PIECE:
                pieces += 1
                _check_piece(value)
            elif number in (NORMALIZER, DENORMALIZER):
                charsmaps += [inner for name, inner in fields(value) if name == CHARSMAP]
        if not pieces:
            raise Wrong("it is no SentencePiece model")
        if pieces > MOST_PIECES:
            raise Wrong(f"it has {pieces:,} pieces and {MOST_PIECES:,} are allowed")
        return SentencePieceFacts(pieces, all(map(is_sound, charsmaps)))


def _check_piece(message: bytes) -> None:
    for number, value in fields(message):
        if number == NAME and len(value) > LONGEST_PIECE:
            raise Wrong(f"one of its pieces has {len(value):,} bytes and {LONGEST_PIECE:,} are allowed")


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each field; b"" for those of a fixed length and for numbers."""
    place = count = 0
    while place < len(message):
        count += 1
        if count > _MOST_FIELDS:
            raise Wrong("it has more fields than any model needs")
        tag, place = _number(message, place)
        kind, length, value = tag & 7, 0, b""
        if kind == _VARINT:
            _, place = _number(message, place)
        elif kind == _COUNTED:
            length, place = _number(message, place)
            value = message[place : place + length]
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            length = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise Wrong("it is no SentencePiece model")
        place += length
        if place > len(message) or tag >> 3 == 0:
            raise Wrong("it is no SentencePiece model")
        yield tag >> 3, value


def _number(message: bytes, place: int) -> tuple[int, int]:
    """A number of up to 64 bits, seven of them a byte, and where it ends."""
    value = 0
    for i, byte in enumerate(message[place : place + 10]):
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, place + i + 1
    raise Wrong("it is no SentencePiece model")
