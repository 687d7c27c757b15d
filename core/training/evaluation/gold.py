"""Sentence pairs with hand-made word links: read from files, and written out as the text that a model reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import HeadlightError
from core.training.evaluation.alignments import Link

# A link, source place first, counted from 0: sure "3-4", or only possible "3p4".
_LINK = re.compile(r"(\d+)([-p])(\d+)")
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
# Words that are written close to what stands before them, and what they are written close to.
_CLOSE_BEFORE = re.compile(rf"[.,…)]|[-'’]\w+|[{_WIDE}]")
_CLOSE_BEFORE_ENGLISH = re.compile(r"[?!:;]")
_CLOSE_AFTER = re.compile(rf"\w+['’]|[(]|[{_WIDE}]+")


@dataclass(frozen=True)
class GoldWords:
    """The words of both sides, and the links (target place, source place) counted from 0; possible holds the sure."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]

    @property
    def longest(self) -> int:
        """Words of the longer side."""
        return max(len(self.source), len(self.target))


def read_gold(path: Path) -> list[GoldWords]:
    """Pairs of a file of source, tab, target, tab, links, one pair a line; words stand between spaces.

    Raises HeadlightError for a file that is not there, or a line that is no such pair.
    """
    pairs = []
    for number, line in enumerate(_lines(path), 1):
        parts = line.split("\t")
        if len(parts) != 3:
            raise HeadlightError(f"{path}, line {number}: write source, tab, target, tab, links.")
        pairs.append(_pair(f"{path}, line {number}", parts[0].split(), parts[1].split(), parts[2], swap=False))
    return pairs


def read_alibi(folder: Path, longest: int) -> list[GoldWords]:
    """English-French pairs of the ALIBI alignments with at most `longest` words a side; their links name French first.

    folder: the one that holds `ali`. Raises HeadlightError where files are missing or do not fit together.
    """
    pairs = []
    for links in sorted((folder / "ali").glob("*/ali_w2w_*.txt")):
        french, english = links.stem.removeprefix("ali_w2w_").split("_")
        files = [_numbered(links.parent / name) for name in (f"{english}_sents.txt", f"{french}_sents.txt", links.name)]
        for number in sorted(set.intersection(*map(set, files))):
            source, target, written = (file[number] for file in files)
            pair = _pair(f"{links}, sentence {number}", source.split(), target.split(), written, swap=True)
            if 0 < pair.longest <= longest and pair.possible:
                pairs.append(pair)
    if not pairs:
        raise HeadlightError(f"{folder} holds no aligned pair: give --alibi the folder that has ali in it.")
    return pairs


def written(words: Sequence[str], french: bool) -> str:
    """The text that words make, with the spaces that the language has.

    french: whether a question mark and its like stand apart from the word before them.
    """
    text = ""
    for place, word in enumerate(words):
        close = _CLOSE_BEFORE.match(word) or (not french and _CLOSE_BEFORE_ENGLISH.match(word))
        joined = not place or close or _CLOSE_AFTER.fullmatch(words[place - 1])
        text += word if joined else f" {word}"
    return text


def _pair(where: str, source: Sequence[str], target: Sequence[str], links: str, *, swap: bool) -> GoldWords:
    sure, possible = set(), set()
    for text in links.split():
        if (match := _LINK.fullmatch(text)) is None:
            raise HeadlightError(f"{where}: “{text}” is no link: write 3-4, or 3p4 for one that is only possible.")
        left, right = int(match[1]), int(match[3])
        link = (left, right) if swap else (right, left)
        if link[0] >= len(target) or link[1] >= len(source):
            raise HeadlightError(f"{where}: the link {text} leads to a word that is not there.")
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldWords(tuple(source), tuple(target), frozenset(sure), frozenset(possible))


def _numbered(path: Path) -> dict[int, str]:
    """Lines of number, tab, text, by their number."""
    rows = (line.partition("\t") for line in _lines(path))
    return {int(number): text for number, _, text in rows if number.isdigit()}


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise HeadlightError(f"{path} cannot be read as UTF-8 text: check where it is.") from error
