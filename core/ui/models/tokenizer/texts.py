"""The text that a tokenizer is first tried on: English, or what its own vocabulary is made for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.tokenizing import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Pattern,
    TokenizerChoice,
    Whitespace,
)
from core.models.tokenizing.meta import is_meta
from core.models.tokenizing.vocabularies import read_vocabulary

PLAIN, MOLECULES = "The cat sat on the mat.", ("CC(=O)O.OCC>>CC(=O)OCC", "CC(=O)OCC")
CHINESE, PROTEIN = "猫坐在垫子上。", "MKTAYIAKQRQISFVKSHFSRQ"
_AMINO_ACIDS = frozenset("ACDEFGHIKLMNPQRSTVWY")
_MOST_LETTERS, _MOST_WORDS = 24, 8
# Only a look: whoever chooses a larger file sees English first.
_READ_NBYTES = 1 << 20
_SPECIAL = ("<", "[", "##")


def suited_text(choice: TokenizerChoice) -> str:
    """A short text that the tokenizer of a choice can be expected to read."""
    if isinstance(choice, FromCatalogue):
        return CHINESE if choice.name.startswith("zh-") else PLAIN
    if isinstance(choice, Bytes):
        return PLAIN
    tokens = _tokens(choice.path if isinstance(choice, FromFile) else choice.vocabulary)
    if isinstance(choice, Pattern) and choice.pattern == SMILES:
        return next((text for text in MOLECULES if not tokens or set(text) <= set(tokens)), MOLECULES[-1])
    ordinary = [token for token in tokens if token.strip() and (len(token) == 1 or not token.startswith(_SPECIAL))]
    if _share_of_chinese(tokens) > 0.5:
        return CHINESE
    return PLAIN if isinstance(choice, FromFile) else _own_text(choice, ordinary)


def _own_text(choice: Characters | Whitespace | Pattern, ordinary: Sequence[str]) -> str:
    known = set(ordinary)
    if isinstance(choice, Whitespace):
        return PLAIN if not ordinary or known.issuperset(PLAIN.split()) else " ".join(ordinary[:_MOST_WORDS])
    letters = [token for token in ordinary if len(token) == 1]
    if isinstance(choice, Characters) and known >= _AMINO_ACIDS and not any(map(str.islower, letters)):
        return PROTEIN
    wanted = set(PLAIN.replace(" ", "").lower())
    if not ordinary or {letter.lower() for letter in letters} >= wanted - {"."}:
        return PLAIN
    return "".join(letters[:_MOST_LETTERS] or ordinary[:_MOST_WORDS])


def _share_of_chinese(tokens: Iterable[str]) -> float:
    written = [token.removeprefix("##") for token in tokens if not token.startswith(("[", "<"))]
    return sum("一" <= token[:1] <= "鿿" for token in written) / max(1, len(written))


def _tokens(vocabulary: Path | Sequence[str]) -> Sequence[str]:
    """The tokens of a list, or of a plain file that is small enough; () where it cannot be read so."""
    if not isinstance(vocabulary, Path):
        return vocabulary
    try:
        if is_meta(vocabulary):
            return tuple(read_vocabulary(vocabulary).ids) if vocabulary.stat().st_size <= _READ_NBYTES else ()
        with vocabulary.open("rb") as file:
            data = file.read(_READ_NBYTES + 1)
        text = data[:_READ_NBYTES].decode("utf-8-sig", "ignore")
        if vocabulary.suffix.lower() == ".txt":
            return text.split("\n")
        return _listed(json.loads(text)) if vocabulary.suffix.lower() == ".json" and len(data) <= _READ_NBYTES else ()
    except (HeadlightError, OSError, ValueError, RecursionError):
        return ()


def _listed(told: Any) -> Sequence[str]:
    if isinstance(told, dict) and isinstance(told.get("model"), dict):
        told = told["model"].get("vocab")
    return [token for token in told if isinstance(token, str)] if isinstance(told, dict | list) else ()
