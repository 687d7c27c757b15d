"""How far each head's attention orders the words as a saliency method does: a map of layers and heads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.agreement.chance import chance_sd, critical_tau
from core.agreement.columns import Array
from core.agreement.ranks import compare
from core.saliency.question import Question
from core.saliency.reading import reading_of, row_scores
from core.saliency.scores import Scores


@dataclass(frozen=True, eq=False)
class HeadAgreement:
    """Kendall's tau-b of each head with one method.

    stream   of the trace
    tau      (layers, heads); NaN where a head gives every word the same
    n, sd0, band   as in `Agreement`
    reading  which rows of each head were read
    title    of the method
    best     layer and head of the largest tau; of so many heads some are high by chance
    """

    stream: str
    tau: Array
    n: int
    sd0: float
    band: float
    reading: str
    title: str

    @property
    def best(self) -> tuple[int, int] | None:
        if np.isnan(self.tau).all():
            return None
        layer, head = np.unravel_index(np.nanargmax(self.tau), self.tau.shape)
        return int(layer), int(head)


def head_map(question: Question, scores: Scores) -> HeadAgreement:
    """The map for one method's scores, whose sizes are taken where they have signs."""
    reading, trace = reading_of(question), question.trace
    layers, heads = trace.layers(reading.stream), trace.heads(reading.stream)
    tau = np.full((layers, heads), np.nan)
    wanted = scores.comparable()
    for layer in range(layers):
        for head, row in enumerate(row_scores(question, layer).numpy()):  # (H, S)
            words = np.array([row[list(group)].sum() for group in question.groups])
            tau[layer, head] = compare(words, wanted, True).tau
    n = len(question.groups)
    return HeadAgreement(reading.stream, tau, n, chance_sd(n), critical_tau(n), reading.words, scores.title)
