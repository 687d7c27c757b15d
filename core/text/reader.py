"""What every kind of tokenizer can do, so that one encoder serves all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.text.characters import Span


@dataclass(frozen=True)
class Reading:
    """One text or a pair, as a tokenizer reads it; one entry a token in each column.

    sequences   0 for the text, 1 for the pair, None for special tokens
    offsets     which characters of its text the tokenizer says a token covers; (0, 0) for special tokens
    words       the tokenizer's own word numbers, which start again in the pair; None where it has none
    """

    ids: Sequence[int]
    pieces: Sequence[str]
    sequences: Sequence[int | None]
    offsets: Sequence[Span]
    words: Sequence[int | None]
    type_ids: Sequence[int]


class Reader(Protocol):
    """A tokenizer of any kind.

    special_names   how the vocabulary spells its special tokens
    special_ids     their ids
    space_mark      the sign that stands for a space in pieces (`Ġ`, `▁`); None where none does
    knows_words     whether its word numbers tell words and punctuation apart
    """

    @property
    def special_names(self) -> tuple[str, ...]: ...

    @property
    def special_ids(self) -> frozenset[int]: ...

    @property
    def space_mark(self) -> str | None: ...

    @property
    def knows_words(self) -> bool: ...

    def read(self, text: str, text_pair: str | None) -> Reading:
        """Tokens of one text or of a pair, with the special tokens of the template, untruncated and unpadded."""
        ...

    def pieces_of(self, ids: Sequence[int]) -> list[str]:
        """How the vocabulary spells ids; those outside it as `⟨id=7⟩`."""
        ...

    def bytes_of(self, pieces: Sequence[str]) -> list[bytes]:
        """What each piece adds to the UTF-8 of the text that they spell together."""
        ...
