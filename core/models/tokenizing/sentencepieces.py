"""SentencePiece's .model and .spm files: what they hold, read without the library, and the same as a tokenizer.json.

Source: sentencepiece_model.proto of https://github.com/google/sentencepiece
"""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.models.checking_files.telling import Wrong, distrusted, quoted
from core.models.tokenizing.choices import Specials
from core.models.tokenizing.names import Named, named
from core.models.tokenizing.protobuf import Value, fields
from core.models.tokenizing.specifications import Part, sentencepiece, sentencepiece_bpe, unigram
from core.models.tokenizing.vocabularies import MOST_ENTRIES, of_tokens, read_bounded

SUFFIXES = (".model", ".spm")
_UNIGRAM, _BPE = 1, 2
_NORMAL, _UNKNOWN, _CONTROL, _USER = 1, 2, 3, 4
# The longest piece that the trainer makes unless told otherwise has 16 characters.
_LONGEST_MERGED = 64
_NO_MODEL = "choose another file"


@dataclass(frozen=True)
class Piece:
    """A piece, its score and its kind: normal, unknown, control (special), defined by a user, a byte."""

    text: str
    score: float = 0.0
    kind: int = _NORMAL


@dataclass(frozen=True)
class Pieces:
    """What such a file holds. charsmap: the rules of its normaliser. The flags are those of its normaliser, too."""

    pieces: tuple[Piece, ...] = ()
    model_type: int = _UNIGRAM
    byte_fallback: bool = False
    charsmap: bytes = field(default=b"", repr=False)
    space_first: bool = True
    single_spaces: bool = True

    def first(self, kind: int) -> int | None:
        """The id of the first piece of a kind."""
        return next((number for number, piece in enumerate(self.pieces) if piece.kind == kind), None)


def read_pieces(path: Path) -> Pieces:
    """Raises HeadlightError, one sentence, for a file that is no SentencePiece model of the kinds unigram and BPE."""
    data = read_bounded(path)
    with distrusted(path):
        found = _read(data)
        of_tokens([piece.text for piece in found.pieces])
        if found.model_type not in (_UNIGRAM, _BPE):
            raise Wrong("it holds words or characters, and only the kinds unigram and BPE are read", _NO_MODEL)
        if found.first(_UNKNOWN) is None:
            raise Wrong("it has no piece for what it does not know", _NO_MODEL)
        return found


def tokenizer_of(found: Pieces, wishes: Specials) -> tuple[Part, Named]:
    """The same as a specification, and the names of its special tokens."""
    ids = {piece.text: number for number, piece in enumerate(found.pieces)}
    names = named(_usual(found, wishes), ids)
    control = tuple(piece.text for piece in found.pieces if piece.kind in (_CONTROL, _UNKNOWN))
    names = replace(names, others=control)
    unknown = found.first(_UNKNOWN) or 0
    whole = [piece.text for piece in found.pieces if piece.kind == _USER]
    if found.model_type == _BPE:
        model = sentencepiece_bpe(ids, _merges(found), names.unknown, found.byte_fallback, bool(whole))
    else:
        model = unigram([(piece.text, piece.score) for piece in found.pieces], unknown, found.byte_fallback)
    charsmap = base64.b64encode(found.charsmap).decode()
    return sentencepiece(model, ids, names, charsmap, found.space_first, found.single_spaces, whole), names


def _usual(found: Pieces, wishes: Specials) -> Specials:
    """What the families do that come with such a file, where nobody wishes otherwise.

    ALBERT puts [CLS] and [SEP] around a text, Llama and Gemma <s> or <bos> before it, T5 and Marian </s> after it.
    """
    texts = {piece.text for piece in found.pieces}
    unknown = found.pieces[found.first(_UNKNOWN) or 0].text
    start, end = "", ""
    if {"[CLS]", "[SEP]"} <= texts:
        start, end = "[CLS]", "[SEP]"
    elif first := next((name for name in ("<s>", "<bos>") if name in texts), ""):
        start = first
    else:
        end = next((name for name in ("</s>", "<eos>") if name in texts), "")
    return Specials(
        unknown=unknown if wishes.unknown is None else wishes.unknown or unknown,
        start=start if wishes.start is None else wishes.start,
        end=end if wishes.end is None else wishes.end,
        pad=wishes.pad,
        mask=wishes.mask,
    )


def _read(data: bytes) -> Pieces:
    pieces: list[Piece] = []
    found = Pieces()
    for number, value in fields(data):
        match number, value:
            case 1, bytes():
                if len(pieces) >= MOST_ENTRIES:
                    raise Wrong(f"it has more than {MOST_ENTRIES:,} pieces", _NO_MODEL)
                pieces.append(_piece(value))
            case 2, bytes():
                found = _trained(value, found)
            case 3, bytes():
                found = _normalised(value, found)
    return replace(found, pieces=tuple(pieces))


def _piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, _NORMAL
    for number, value in fields(data):
        match number, value:
            case 1, bytes():
                text = _text(value)
            case 2, float():
                score = value
            case 3, int():
                kind = value
    if not text:
        raise Wrong("a piece in it is empty", _NO_MODEL)
    if not math.isfinite(score):
        raise Wrong(f"the score of {quoted(text)} is no number", _NO_MODEL)
    return Piece(text, score, kind)


def _trained(data: bytes, found: Pieces) -> Pieces:
    for number, value in fields(data):
        match number, value:
            case 3, int():
                found = replace(found, model_type=value)
            case 35, int():
                found = replace(found, byte_fallback=bool(value))
    return found


def _normalised(data: bytes, found: Pieces) -> Pieces:
    told: dict[int, Value] = dict(fields(data))
    charsmap = told.get(2, b"")
    return replace(
        found,
        charsmap=charsmap if isinstance(charsmap, bytes) else b"",
        space_first=bool(told.get(3, 1)),
        single_spaces=bool(told.get(4, 1)),
    )


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Wrong("a piece in it is no UTF-8", _NO_MODEL) from error


def _merges(found: Pieces) -> list[tuple[str, str]]:
    """The pairs that make up each normal piece, in the order of joining: SentencePiece goes by the piece's score."""
    normal = {p.text: (-p.score, number) for number, p in enumerate(found.pieces) if p.kind == _NORMAL}
    pairs = [
        (*rank, text[:cut], text[cut:])
        for text, rank in normal.items()
        if len(text) <= _LONGEST_MERGED
        for cut in range(1, len(text))
        if text[:cut] in normal and text[cut:] in normal
    ]
    return [(left, right) for _, _, left, right in sorted(pairs)]
