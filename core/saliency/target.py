"""What is asked about: a label, a next token, a word of an answer, or how alike two texts are."""

from __future__ import annotations

from dataclasses import dataclass

LABEL, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY = "label", "next token", "output word", "similarity"
KINDS = (LABEL, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY)


@dataclass(frozen=True)
class Target:
    """One thing that a model may answer.

    index        of the label, of the token in the vocabulary, or of the word in the answer; 0 for a similarity
    label        how it is shown; of a similarity what it is the cosine of
    probability  that the model gives it; of a word the product over its tokens, None for what has none
    number       that a regression gives, which is no probability
    foil         what it is held against, where two are contrasted
    """

    kind: str
    index: int
    label: str
    probability: float | None = None
    number: float | None = None
    foil: Target | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not one of {KINDS}")

    @property
    def measure(self) -> str:
        """What tells how much of it is left when words go: its probability, or what stands in the place of one."""
        if self.kind == SIMILARITY:
            return SIMILARITY
        return "probability" if self.number is None else "number"

    @property
    def words(self) -> str:
        """How a caption names it."""
        named = {LABEL: "label", NEXT_TOKEN: "next token", OUTPUT_WORD: "word"}
        if self.kind == SIMILARITY:
            return f"similarity of two texts ({self.label})"
        against = f" against “{self.foil.label}”" if self.foil is not None else ""
        return f"{named[self.kind]} “{self.label}”{against}"
