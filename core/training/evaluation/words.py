"""Words of plain text: how long a sentence is, and the words that a word aligner counts."""

from __future__ import annotations

import re

_HAN = r"\u3400-\u9fff"
_LENGTH = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+")
# A French elision is a word of its own, as in gold alignments: l' ami, qu' il; "don't" and "aujourd'hui" stay whole.
_WORD = re.compile(
    rf"[{_HAN}]|(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=\w)|[^\W{_HAN}]+(?:'[^\W{_HAN}]+)*|[^\w\s]"
)


def length_of(text: str) -> int:
    """Words between spaces; in Chinese text each character is one and punctuation is none."""
    if re.search(f"[{_HAN}]", text):
        return len(_LENGTH.findall(text))
    return len(text.split())


def words_of(text: str) -> list[str]:
    """Lower-cased words and punctuation marks, each by itself; typographic apostrophes are plain ones."""
    return _WORD.findall(text.lower().replace("’", "'"))
