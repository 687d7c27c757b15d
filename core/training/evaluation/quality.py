"""Translation quality by the length of the source: where a fixed-size summary of a sentence begins to fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.training.evaluation.translation import LOWER_CASED, translation_scores
from core.training.evaluation.words import length_of

# Words of the source, from and up to; the last range is open.
RANGES: tuple[tuple[int, int | None], ...] = ((1, 4), (5, 8), (9, 12), (13, 16), (17, None))


@dataclass(frozen=True)
class Quality:
    """Corpus BLEU and chrF, both sides lower-cased, of the sentences with low to high source words.

    bleu, chrf: 0 to 100; high: of an open range, the longest.
    """

    low: int
    high: int
    sentences: int
    bleu: float
    chrf: float

    @property
    def name(self) -> str:
        return f"{self.low}–{self.high} words, {self.sentences:,} sentences"

    def as_dict(self) -> dict[str, Any]:
        """For training.json."""
        return {"words": [self.low, self.high], "sentences": self.sentences, "bleu": self.bleu, "chrf": self.chrf}


def quality_by_length(
    sources: Sequence[str], said: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[Quality, ...]:
    """Scores of translations in each range of source lengths that occurs, shortest first.

    sources, said, references: as many each; `length_of` counts the words.
    """
    lengths = [length_of(source) for source in sources]
    found = []
    for low, high in RANGES:
        places = [place for place, length in enumerate(lengths) if low <= length <= (high or length)]
        if places:
            scores = translation_scores(
                [said[place] for place in places], [references[place] for place in places], LOWER_CASED
            )
            longest = high or max(lengths[place] for place in places)
            found.append(Quality(low, longest, len(places), scores.bleu, scores.chrf))
    return tuple(found)
