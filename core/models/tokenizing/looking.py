"""What kind of vocabulary a file holds and how many ids it has; to be found out in a box."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.errors import HeadlightError
from core.models.tokenizing.choices import SMILES
from core.models.tokenizing.merges import MERGES
from core.models.tokenizing.sentencepieces import SUFFIXES, read_pieces
from core.models.tokenizing.vocabularies import read_vocabulary
from core.models.tokenizing.whole import ids_in

_SMILES = re.compile(SMILES)
# Names of special tokens, and places kept free, say nothing about the others.
_SPECIAL = re.compile(r"[\[<(].*[\])>]|[A-Z]{3,}|")
_MOST_PART = 0.9
_COMPARED = 5_000


def looked_at(paths: list[str]) -> list[dict[str, int | str]]:
    """For each file its size, as {"form": …, "size": …}; those that hold no vocabulary have the size 0."""
    return [_looked_at(Path(path)) for path in paths]


def _looked_at(path: Path) -> dict[str, int | str]:
    try:
        form, size = form_and_size(path)
    except HeadlightError:
        form, size = "none", 0
    return {"form": form, "size": size}


def form_and_size(path: Path) -> tuple[str, int]:
    """The form ("tokenizer", "sentencepiece", "merges", "wordpiece", "characters", "smiles" or "words") and the size:
    the highest id and one. Raises HeadlightError for a file that holds no vocabulary.
    """
    if path.suffix.lower() in SUFFIXES:
        return "sentencepiece", len(read_pieces(path).pieces)
    if path.name.lower().endswith("tokenizer.json"):
        return "tokenizer", max(ids_in(path).values(), default=-1) + 1
    ids = read_vocabulary(path).ids
    size = max(ids.values()) + 1
    if path.suffix.lower() == ".json" and path.with_name(MERGES).is_file():
        return "merges", size
    return _form(ids), size


def _form(ids: Mapping[str, int]) -> str:
    if any(token.startswith("##") for token in ids):
        return "wordpiece"
    tokens = [token for token in ids if not _SPECIAL.fullmatch(token)][:_COMPARED]
    if _mostly(len(token) == 1 for token in tokens) and not {"Cl", "Br"} <= ids.keys():
        return "characters"
    # Atoms in brackets look like names of special tokens.
    if {"C", "c", "="} <= ids.keys() and _mostly(_SMILES.fullmatch(token) is not None for token in tokens):
        return "smiles"
    return "words"


def _mostly(truths: Iterable[bool]) -> bool:
    told = list(truths)
    return bool(told) and sum(told) >= _MOST_PART * len(told)
