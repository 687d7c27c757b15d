"""What is asked about: a label of a text or of a token, an end of a span, a word, or how alike two texts are."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.answers import CHOICE, LABEL, MASKED_WORD, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY, SPAN, TOKEN_LABEL

# How a caption names a target of each kind: its label, and the token that it is asked of.
NAMED = {
    LABEL: "label “{label}”",
    NEXT_TOKEN: "next token “{label}”",
    OUTPUT_WORD: "word “{label}”",
    CHOICE: "choice “{label}”",
    TOKEN_LABEL: "label “{label}” of “{at}”",
    SPAN: "{label} of the answer at “{at}”",
    MASKED_WORD: "word “{label}” in the place of “{at}”, which is masked",
    SIMILARITY: "similarity of two texts ({label})",
}


@dataclass(frozen=True)
class Target:
    """One thing that a model may answer.

    index        of the label, the choice, the token in the vocabulary, or the word in the answer; of a span 0 for its
                 start and 1 for its end; 0 for a similarity
    label        how it is shown; of a similarity what it is the cosine of
    probability  that the model gives it; of a word the product over its tokens, None for what has none
    number       that a regression gives, which is no probability
    foil         what it is held against, where two are contrasted
    place, at    the token that has an answer of its own, its place and how it is shown; None for answers of a text
    """

    kind: str
    index: int
    label: str
    probability: float | None = None
    number: float | None = None
    foil: Target | None = None
    place: int | None = None
    at: str = ""

    def __post_init__(self) -> None:
        if self.kind not in NAMED:
            raise ValueError(f"{self.kind!r} is not one of {', '.join(NAMED)}")

    @property
    def measure(self) -> str:
        """What tells how much of it is left when words go: its probability, or what stands in the place of one."""
        if self.kind == SIMILARITY:
            return SIMILARITY
        return "probability" if self.number is None else "number"

    @property
    def words(self) -> str:
        """How a caption names it."""
        against = f" against “{self.foil.label}”" if self.foil is not None else ""
        return f"{NAMED[self.kind].format(label=self.label, at=self.at)}{against}"
