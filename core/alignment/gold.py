"""Sentence pairs of our own writing, with links between their words made by hand.

core/alignment/gold/<direction>.tsv holds a pair a line: the source's words, the target's words, and links as
`core.alignment.pasted` reads them, counted from 0. None of the sentences is in the Tatoeba pairs that the shipped
models learn from. A link is sure where the words say the same, and possible where a word only helps: auxiliaries,
articles without a partner, the "ne" of a negation, classifiers, particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.alignment.links import Link
from core.alignment.pasted import parse_links
from core.alignment.words import spelled

__all__ = ["FOLDER", "GOLD", "GoldPair", "parse_links", "read_gold"]

FOLDER = Path(__file__).parent / "gold"


@dataclass(frozen=True)
class GoldPair:
    """A sentence and its translation.

    source, target             their words, punctuation marks among them
    sure, possible             links, the target's word first; the possible ones hold the sure ones too
    source_text, target_text   the sentences as they are written
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]
    source_text: str
    target_text: str


def read_gold(direction: str) -> tuple[GoldPair, ...]:
    """The pairs of a direction such as "en-fr", from its file."""
    lines = (FOLDER / f"{direction}.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(_pair(line, *(language == "fr" for language in direction.split("-"))) for line in lines)


def _pair(line: str, french_source: bool, french_target: bool) -> GoldPair:
    source, target, links = line.split("\t")
    words, translated = tuple(source.split()), tuple(target.split())
    sure, possible = parse_links(links, words, translated)
    return GoldPair(
        words,
        translated,
        frozenset(sure),
        frozenset(possible),
        spelled(words, french_source),
        spelled(translated, french_target),
    )


GOLD: dict[str, tuple[GoldPair, ...]] = {direction: read_gold(direction) for direction in ("en-fr", "zh-en")}
