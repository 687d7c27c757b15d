"""The size of the gradient: how fast F changes with a word's embedding, whichever way (Simonyan and others 2014)."""

from __future__ import annotations

from captum.attr import Saliency

from core.saliency.blindness import without_gradient
from core.saliency.gradient.aggregation import aggregated
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn


def run(question: Question, runner: Runner) -> Raw:
    """Captum's Saliency with its sign kept, then the aggregation of the question."""
    embeddings = question.embeddings()
    with without_cudnn():
        gradient = Saliency(runner.forward).attribute(embeddings.requires_grad_(), abs=False)  # (1, T, E)
    return Raw(aggregated(finite(gradient, "backwards")[0], embeddings.detach()[0], question.aggregation))


METHOD = Method(
    name="gradient_norm",
    title="Gradient norm",
    about="How fast the answer changes when a word's embedding is moved a little, in any direction.",
    family="gradient",
    tier=1,
    signed=False,
    class_specific=True,
    additive=False,
    merge="largest",
    formula=r"s_i = \left\lVert \partial F / \partial e_i \right\rVert_2",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar", "aggregation"}),
)
