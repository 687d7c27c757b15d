"""vocab.json with merges.txt: byte-level BPE, as GPT-2, RoBERTa and most of their kin have it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tokenizers import pre_tokenizers

from core.models.checking_files.telling import Wrong, distrusted, quoted
from core.models.tokenizing.choices import Specials
from core.models.tokenizing.names import Named, named, with_unknown
from core.models.tokenizing.specifications import Part, byte_level
from core.models.tokenizing.vocabularies import Read, lines_of, read_bounded

_SPACE = "Ġ"
MERGES = "merges.txt"
_OTHER = "choose a vocabulary of byte-level BPE, or the model's tokenizer.json"


def byte_level_of(read: Read, merges: Path, specials: Specials) -> tuple[Part, Named, tuple[str, ...]]:
    """A specification, the names of its special tokens, and notes.

    Raises HeadlightError for merges whose pieces the vocabulary lacks, and for BPE of other kinds.
    """
    data = read_bounded(merges)
    with distrusted(merges):
        _require_byte_level(read.ids)
        pairs = _pairs(lines_of(data), read.ids)
    names = named(specials, read.ids)
    if all(sign in read.ids for sign in pre_tokenizers.ByteLevel.alphabet()):
        return byte_level(read.ids, pairs, names), names, read.notes
    names, ids, notes = with_unknown(names, specials, read.ids)
    return byte_level(ids, pairs, names), names, (*read.notes, *notes)


def _require_byte_level(ids: Mapping[str, int]) -> None:
    if any(token.endswith("</w>") for token in ids):
        raise Wrong("its vocabulary marks the ends of words with </w>, as GPT-1 and CLIP do", _OTHER)
    if not any(token.startswith(_SPACE) for token in ids):
        raise Wrong(f"no token of its vocabulary begins with {_SPACE}, which stands for a space", _OTHER)


def _pairs(lines: list[str], ids: Mapping[str, int]) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            raise Wrong(f"its line {number:,} is no pair of pieces", "choose the merges.txt of the vocabulary")
        if lacking := next((piece for piece in (left, right, left + right) if piece not in ids), ""):
            raise Wrong(
                f"its line {number:,} needs the piece {quoted(lacking)}, which the vocabulary lacks",
                "choose the merges.txt of the vocabulary",
            )
        pairs.append((left, right))
    return pairs
