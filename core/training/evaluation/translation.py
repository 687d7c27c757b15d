"""Translation scores through sacrebleu: BLEU (Papineni et al. 2002) and chrF (Popović 2015), both from 0 to 100."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sacrebleu


@dataclass(frozen=True)
class TranslationScores:
    """Corpus scores, and sacrebleu's own signatures, which say exactly how they were counted."""

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


def translation_scores(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> TranslationScores:
    """Scores of translations against one or more references a sentence.

    references: as many as hypotheses, each with at least one reference; sentences may have different numbers of them.
    BLEU with sacrebleu's 13a tokens and exponential smoothing; chrF with character 6-grams and beta 2.
    Raises ValueError when the numbers differ or a sentence has no reference.
    """
    if len(hypotheses) != len(references) or not all(references):
        raise ValueError("each hypothesis needs at least one reference")
    most = max(map(len, references), default=1)
    # sacrebleu reads references by number, with None where a sentence has no further one.
    columns: Any = [[row[index] if index < len(row) else None for row in references] for index in range(most)]
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    return TranslationScores(
        bleu=bleu.corpus_score(hypotheses, columns).score,
        chrf=chrf.corpus_score(hypotheses, columns).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )
