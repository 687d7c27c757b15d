"""Integrated gradients (Sundararajan and others 2017): the gradient gathered on the way from the baseline to the text.

The scores sum to F(text) - F(baseline); how far they miss it is the convergence delta, which falls with more steps.
"""

from __future__ import annotations

import torch
from captum.attr import IntegratedGradients
from torch import Tensor

from core.saliency.blindness import without_gradient
from core.saliency.method import Method, Passes, Raw, missed, missed_words
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn

# Steps are raised until the sum is near enough.
STEPS = (50, 100, 200, 400)


def run(question: Question, runner: Runner) -> Raw:
    """Captum's IntegratedGradients, with more steps until the sum is right."""
    embeddings, baseline = question.embeddings(), question.baseline_embeddings()
    with torch.no_grad():
        start = float(runner.forward(baseline)[0])
        difference = float(runner.forward(embeddings)[0]) - start
    found, delta, note, steps = torch.empty(0), 0.0, "", 0
    for steps in STEPS:
        found = _path(embeddings, baseline, steps, runner)
        delta = missed(float(found.sum()), difference)
        note = missed_words(delta, f"{steps} steps")
        if not note:
            break
    return Raw(
        found,
        delta=delta,
        # What was there before any word: with it the scores sum to F.
        rest=start + float(found.sum() - found[list(question.scored)].sum()),
        checks=(f"sum = F − F(baseline) within {delta:.2g}, {steps} steps",),
        note=note,
    )


def _path(embeddings: Tensor, baseline: Tensor, steps: int, runner: Runner) -> Tensor:
    """(1, T, E) twice -> (T,)."""
    with without_cudnn():
        found = IntegratedGradients(runner.forward).attribute(
            embeddings, baseline, n_steps=steps, internal_batch_size=min(steps, runner.graph_batch)
        )
    return finite(found, "backwards")[0].double().sum(dim=-1)  # (T, E) -> (T,)


METHOD = Method(
    name="integrated_gradients",
    title="Integrated gradients",
    about="What each word adds on the way from a text of absent words to this one; sums to the change of the answer.",
    family="gradient",
    tier=1,
    signed=True,
    class_specific=True,
    additive=True,
    merge="sum",
    formula=r"s_i = (e_i - b_i) \cdot \int_0^1 \frac{\partial F}{\partial e_i}\bigl(b + t\,(e - b)\bigr)\, dt",
    cost=lambda question: Passes(STEPS[0] + 2, STEPS[0]),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar", "baseline"}),
)
