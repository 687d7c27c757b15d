"""Gradient times embedding: the first-order estimate of what F would lose without the word's embedding."""

from __future__ import annotations

from captum.attr import InputXGradient

from core.saliency.blindness import without_gradient
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn


def run(question: Question, runner: Runner) -> Raw:
    """Captum's InputXGradient, summed over the width."""
    embeddings = question.embeddings()
    with without_cudnn():
        found = InputXGradient(runner.forward).attribute(embeddings.requires_grad_())  # (1, T, E)
    return Raw(finite(found, "backwards")[0].double().sum(dim=-1))  # (T, E) -> (T,)


METHOD = Method(
    name="input_x_gradient",
    title="Input × gradient",
    about="The gradient along the word's own embedding: positive where more of the word would raise the answer.",
    family="gradient",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"s_i = e_i \cdot \partial F / \partial e_i",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar"}),
)
