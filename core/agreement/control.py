"""The control that belongs beside attention's agreement with a gradient: attention that means nothing.

Where a text is summed by its weights, a weight is a factor of the word's gradient, so the two agree whatever the
weights are. Control A permutes the weights over the words, takes the gradient under them, and compares the two. Control
B keeps the weights and takes the gradient under uniform attention, which knows nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from core.agreement.columns import Array
from core.agreement.other_attention import permuted, under, uniform
from core.agreement.ranks import compare
from core.errors import HeadlightError
from core.jobs import Job
from core.saliency.explaining import method_of
from core.saliency.method import merge
from core.saliency.question import Question
from core.saliency.reading import reading_of, row_scores
from core.saliency.runner import Runner

DRAWS = 20
ATTENTION = "attention"
# Methods that look at the model through F of embeddings alone, so that they can be asked under other weights.
GRADIENTS = ("gradient_norm", "input_x_gradient", "integrated_gradients", "smoothgrad", "gradient_shap")


@dataclass(frozen=True)
class Control:
    """Kendall's tau-b of attention weight with a gradient method, on the n words of one text.

    own       of the model as it is
    permuted  of each draw, both under the same permuted attention
    uniform   of the model's weights with the gradient under uniform attention; None where it orders nothing
    how       how it was done, in a sentence
    """

    own: float
    permuted: tuple[float, ...]
    uniform: float | None
    n: int
    how: str

    @property
    def mean(self) -> float:
        """Of the permuted taus; NaN where none orders anything."""
        return float(np.nanmean(self.permuted)) if np.isfinite(self.permuted).any() else float("nan")

    @property
    def sd(self) -> float:
        """Standard deviation of the permuted taus that order anything; NaN of fewer than two."""
        told = np.array(self.permuted)[np.isfinite(self.permuted)]
        return float(told.std(ddof=1)) if len(told) > 1 else float("nan")

    @property
    def beyond(self) -> float:
        """What the own tau has above the mean of the permuted: what is more than algebra."""
        return self.own - self.mean


def control(
    question: Question,
    attention_method: str = ATTENTION,
    gradient_method: str = "gradient_norm",
    draws: int = DRAWS,
    seed: int = 0,
    job: Job | None = None,
) -> Control:
    """Both controls for one gradient method.

    Raises HeadlightError for a method that is no plain gradient, for fewer than three words, and where attention cannot
    be replaced.
    """
    if attention_method != ATTENTION or gradient_method not in GRADIENTS:
        raise HeadlightError(
            "The control compares attention weight with a gradient to the words, such as gradient norm: choose one."
        )
    if len(question.groups) < 3:
        raise HeadlightError("Fewer than three words can hardly be permuted: type more.")
    own = attention_of(question)
    generator = torch.Generator().manual_seed(seed)
    found = _tau(own, gradient_of(question, gradient_method, job))
    taus = []
    for draw in range(draws):
        if job is not None:
            job.advance(draw, draws + 1, "permuted attention")
        order = torch.randperm(len(question.scored), generator=generator)
        changed = permuted(question, order)
        taus.append(_tau(changed.words, gradient_of(under(question, changed), gradient_method, job)))
    flat = _tau(own, gradient_of(under(question, uniform(question)), gradient_method, job))
    return Control(
        own=found,
        permuted=tuple(taus),
        uniform=None if np.isnan(flat) else flat,
        n=len(question.groups),
        how=_how(question, draws, seed),
    )


def attention_of(question: Question) -> Array:
    """Attention weight of each group, as the method “attention” reads it."""
    row = row_scores(question, reading_of(question).layer).mean(dim=0)  # (H, S) -> (S,)
    return np.asarray(merge(row, question.groups, "sum").numpy())


def gradient_of(question: Question, name: str, job: Job | None = None) -> Array:
    """Size of the gradient method's score of each group."""
    method = method_of(name)
    values = method.run(question, Runner(question, job)).values.detach().double().cpu()
    return np.abs(merge(values, question.groups, method.merge).numpy())


def _tau(x: Array, y: Array) -> float:
    return compare(x, y, True).tau


def _how(question: Question, draws: int, seed: int) -> str:
    where = "all heads of all layers alike" if question.trace.streams[0] != "pooling" else "the one attention"
    return f"{draws} permutations of the words' weights in {where}, seed {seed}; special tokens keep theirs"
