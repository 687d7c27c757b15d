"""Baselines that look at no model: a word's place, rarity, length. What agrees with them may be little more."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.agreement.columns import Column
from core.saliency.question import Question

FREQUENCIES = Path(__file__).with_name("frequencies.tsv")
# Below this share of known words the list is of another language than the text.
KNOWN = 0.5


def baselines(question: Question) -> tuple[Column, ...]:
    """Place, rarity and length of each word; rarity only where most words are on the list of English words."""
    labels = question.labels
    place = Column("position", "Position", np.arange(len(labels), dtype=np.float64), labels, plain=True)
    length = Column("length", "Word length", np.array([float(len(_plain(w))) for w in labels]), labels, plain=True)
    rarity = rarity_of(labels)
    return (place, length) if rarity is None else (place, rarity, length)


def rarity_of(labels: tuple[str, ...]) -> Column | None:
    """-log of each word's share of English text; None where fewer than half of the words are known."""
    counts, total = _counts()
    found = [counts.get(_plain(label).lower()) for label in labels]
    if sum(count is not None for count in found) < KNOWN * len(labels):
        return None
    # A word that is not on the list is rarer than all that are.
    rarest = min(counts.values()) / 2
    values = np.array([-math.log((count or rarest) / total) for count in found])
    return Column("frequency", "Rarity (−log frequency)", values, labels, plain=True)


def _plain(label: str) -> str:
    """The word without the sign for the space before it."""
    return label.strip("␣ ")


@lru_cache(maxsize=1)
def _counts() -> tuple[dict[str, int], int]:
    """Counts of English words, and their total."""
    lines = [line for line in FREQUENCIES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    pairs = (line.rsplit("\t", 1) for line in lines)
    counts = {word: int(count) for word, count in pairs}
    return counts, sum(counts.values())
