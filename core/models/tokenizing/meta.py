"""The characters of a model in nanoGPT's meta.pkl, which its data lies beside; nothing in the pickle is run.

Source: https://github.com/karpathy/nanoGPT (data/shakespeare_char/prepare.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from core.models.checking_files.telling import Wrong
from core.models.pickles import plain_data

# Browsers number a second download: "meta (1).pkl".
_ENDING = ".pkl"
# Of the characters the ids, and of the ids the characters.
_IDS = "stoi"


def is_meta(vocabulary: Path | Sequence[str]) -> bool:
    """Whether a vocabulary is such a file, by its name."""
    return isinstance(vocabulary, Path) and vocabulary.suffix.lower() == _ENDING


def pairs_in(data: bytes) -> Iterable[tuple[str, Any]]:
    """Characters with what stands there for their ids.

    Raises HeadlightError for a pickle that holds more than plain data, and Wrong for one that holds no characters.
    """
    held = plain_data(data, ())
    ids = held.get(_IDS) if isinstance(held, dict) else None
    if not isinstance(ids, dict) or not all(isinstance(character, str) for character in ids):
        raise Wrong(f"it gives no ids to characters ({_IDS})", "choose the meta.pkl that training has read")
    return ids.items()
