"""Alignment error rate: how far predicted links are from gold ones, some of which are sure and some only possible.

Och and Ney (2003), A Systematic Comparison of Various Statistical Alignment Models, section 5:
AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) with predicted links A, sure links S, possible links P, and S within P.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.alignment.links import Link
from core.errors import HeadlightError


@dataclass(frozen=True)
class AlignmentScore:
    """Shares between 0 and 1; NaN where there is nothing to divide by.

    precision   predicted links that are possible
    recall      sure links that are predicted
    error       the alignment error rate, 0 for a perfect alignment
    """

    precision: float
    recall: float
    error: float


def error_rate(predicted: Collection[Link], sure: Collection[Link], possible: Collection[Link]) -> AlignmentScore:
    """The score of one sentence pair.

    possible holds the sure links too. Raises HeadlightError where it does not.
    """
    return corpus_error_rate([(predicted, sure, possible)])


def corpus_error_rate(
    sentences: Iterable[tuple[Collection[Link], Collection[Link], Collection[Link]]],
) -> AlignmentScore:
    """The score of many sentence pairs: their counts are summed before anything is divided.

    sentences: predicted, sure and possible links of each. Raises HeadlightError as `error_rate` does.
    """
    links = in_possible = gold = found = 0
    for predicted, sure, possible in sentences:
        a, s, p = set(predicted), set(sure), set(possible)
        if not s <= p:
            raise HeadlightError(
                f"{len(s - p)} of the sure links are not among the possible ones: add every sure link to the possible."
            )
        links, in_possible = links + len(a), in_possible + len(a & p)
        gold, found = gold + len(s), found + len(a & s)
    return AlignmentScore(
        precision=_share(in_possible, links),
        recall=_share(found, gold),
        error=1 - _share(found + in_possible, links + gold),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
