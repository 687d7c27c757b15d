"""What a model reads: one entry a token, with the characters it covers and how it is shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from core.text.characters import Span
from core.text.units import Units, kinds_of, units_of

# Numbers, flags and spans of one token, and the places that point to them.
_BYTES_PER_TOKEN = 400


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text, or of a pair of texts, in the order the model reads them.

    text, text_pair   the texts after cleaning; spans count their characters (code points)
    ids               vocabulary ids
    pieces            vocabulary strings, as the tokenizer spells them (`##ing`, `Ġcat`)
    labels            what is shown: the user's own characters, letter for letter, spaces made visible
    spans             [start, end) in the text or the pair; None for special tokens
    sequences         0 for the text, 1 for the pair, None for special tokens
    words             index of the word a token belongs to, counted over both texts; None for special tokens
    type_ids          segment numbers that models of the BERT family read: 0, then 1 for the second text and its end
    special           True for tokens that the model's template added or a model wrote, and for masks; never for what
                      else the user typed
    unknown           True where the model has no token for the characters
    dropped           number of tokens cut because the model reads no more
    replaced          number of U+FFFD in the texts: broken characters, such as lone surrogates, that were replaced
    literals          spellings of special tokens that the user typed; they are read as plain characters
    """

    text: str
    text_pair: str | None
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    spans: tuple[Span | None, ...]
    sequences: tuple[int | None, ...]
    words: tuple[int | None, ...]
    type_ids: tuple[int, ...]
    special: tuple[bool, ...]
    unknown: tuple[bool, ...]
    dropped: int = 0
    replaced: int = 0
    literals: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        per_token = (
            self.pieces, self.labels, self.spans, self.sequences, self.words, self.type_ids, self.special,
            self.unknown,
        )  # fmt: skip
        if any(len(column) != len(self.ids) for column in per_token):
            raise ValueError(f"token columns differ in length: {[len(c) for c in per_token]}, {len(self.ids)} ids")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        """Memory of the texts and labels, about."""
        texts = sum(sys.getsizeof(text) for text in (self.text, self.text_pair or "", *self.labels, *self.pieces))
        return texts + _BYTES_PER_TOKEN * len(self)

    @property
    def kinds(self) -> tuple[str, ...]:
        """How a view marks each label: "special", "unknown" or ""."""
        return kinds_of(self.special, self.unknown)

    @property
    def unknown_share(self) -> float:
        """Share of the user's own tokens that the model has no token for, 0 to 1."""
        own = len(self.special) - sum(self.special)
        return sum(self.unknown) / own if own else 0.0

    def merged(self) -> Units:
        """The same text by words: one entry a word, special tokens by themselves."""
        return units_of(self)
