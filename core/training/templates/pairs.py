"""Templated pairs of sentences by name, and the ones that a model must never see in training."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from core.training.templates import chinese

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Templates:
    """pairs: writes all of them, source and target, the same at every call. about: what they are, for a card.

    held_out: sources without punctuation that are kept out of training, and their translations.
    """

    pairs: Callable[[], Pairs]
    held_out: Mapping[str, str]
    about: str

    def without_held_out(self, pairs: Iterable[tuple[str, str]]) -> Pairs:
        """The pairs without a held-out source in theirs, whatever punctuation, spaces and letter case it comes with."""
        held = {_bare(source) for source in self.held_out}
        return [pair for pair in pairs if not any(each in _bare(pair[0]) for each in held)]


def _bare(text: str) -> str:
    """A text in NFKC form and lower case, without punctuation and spaces."""
    normal = unicodedata.normalize("NFKC", text).lower()
    return "".join(mark for mark in normal if unicodedata.category(mark)[0] not in "PZC")


TEMPLATES: dict[str, Templates] = {"zh-en": Templates(chinese.pairs, chinese.HELD_OUT, chinese.ABOUT)}
