"""Translation scores through sacrebleu: BLEU (Papineni et al. 2002) and chrF (Popović 2015), both from 0 to 100.

What our translators write is lower-cased, so each score comes twice: with both sides lower-cased, which the signature
calls case:lc, and with the case as it is, case:mixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sacrebleu

LOWER_CASED, AS_IT_IS = "both lower-cased", "case as it is"


@dataclass(frozen=True)
class TranslationScores:
    """Corpus scores, and sacrebleu's own signatures, which say exactly how they were counted."""

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


def translation_scores(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], case: str = AS_IT_IS
) -> TranslationScores:
    """Scores of translations against one or more references a sentence.

    references: as many as hypotheses, each with at least one reference; sentences may have different numbers of them.
    case: LOWER_CASED or AS_IT_IS.
    BLEU with sacrebleu's 13a tokens and exponential smoothing; chrF with character 6-grams and beta 2.
    Raises ValueError when the numbers differ or a sentence has no reference.
    """
    if len(hypotheses) != len(references) or not all(references):
        raise ValueError("each hypothesis needs at least one reference")
    most = max(map(len, references), default=1)
    # sacrebleu reads references by number, with None where a sentence has no further one.
    columns: Any = [[row[index] if index < len(row) else None for row in references] for index in range(most)]
    lowercase = case == LOWER_CASED
    bleu, chrf = sacrebleu.BLEU(lowercase=lowercase), sacrebleu.CHRF(lowercase=lowercase)
    return TranslationScores(
        bleu=bleu.corpus_score(hypotheses, columns).score,
        chrf=chrf.corpus_score(hypotheses, columns).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
    )


def told_scores(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], part: str = ""
) -> dict[str, float | int | str | None]:
    """For a card: scores against the first and against all references, in either case, and their signatures.

    references: as they are written; part: what is before the names of the scores.
    """
    scores: dict[str, float | int | str | None] = {}
    signatures: dict[str, float | int | str | None] = {}
    for case in (LOWER_CASED, AS_IT_IS):
        first = translation_scores(hypotheses, [each[:1] for each in references], case)
        every = translation_scores(hypotheses, references, case)
        scores[f"{part}BLEU, first reference, {case}"] = first.bleu
        scores[f"{part}BLEU, all references, {case}"] = every.bleu
        scores[f"{part}chrF, first reference, {case}"] = first.chrf
        signatures[f"BLEU signature, first reference, {case}"] = first.bleu_signature
        signatures[f"BLEU signature, all references, {case}"] = every.bleu_signature
        signatures[f"chrF signature, first reference, {case}"] = first.chrf_signature
    return scores | signatures
