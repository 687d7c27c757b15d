"""GradientSHAP (Lundberg and Lee 2017; Erion and others 2021): integrated gradients at random points of the way."""

from __future__ import annotations

import torch
from captum.attr import GradientShap

from core.saliency.blindness import without_gradient
from core.saliency.gradient.seeding import seeded
from core.saliency.method import Method, Passes, Raw, merge, missed, missed_words
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn

# Runs of a few samples each: how much they differ gives the standard error.
RUNS, SAMPLES = 10, 8
# Of the standard deviation of the text's embeddings. Their range is set by a few outliers: noise measured by it drowns
# the words, and the sum misses F by more than F.
NOISE = 0.1


def run(question: Question, runner: Runner) -> Raw:
    """The mean of Captum's GradientShap over runs, with the standard error of that mean."""
    embeddings, baseline = question.embeddings(), question.baseline_embeddings()
    sigma = NOISE * float(embeddings.float().std())
    runs = []
    for number in range(RUNS):
        with without_cudnn(), seeded(embeddings.device, runner.seed * RUNS + number):
            found = GradientShap(runner.forward).attribute(
                embeddings.detach().requires_grad_(), baselines=baseline, n_samples=SAMPLES, stdevs=sigma
            )  # (1, T, E)
        runs.append(finite(found, "backwards")[0].double().sum(dim=-1))  # (T, E) -> (T,)
    every = torch.stack(runs)  # (RUNS, T)
    of_group = torch.stack([merge(run, question.groups, "sum") for run in every])  # (RUNS, groups)
    with torch.no_grad():
        difference = float(runner.forward(embeddings)[0] - runner.forward(baseline)[0])
    total = float(every.mean(dim=0).sum())
    delta, points = missed(total, difference), f"{RUNS * SAMPLES} random points"
    drawn = f"{points}, noise of {NOISE:.0%} of the embeddings' deviation, seed {runner.seed}; ± is the standard error."
    return Raw(
        every.mean(dim=0),
        delta=delta,
        error=of_group.std(dim=0) / RUNS**0.5,
        checks=(f"sum {total:.3g}, F − F(baseline) {difference:.3g}",),
        note=f"{missed_words(delta, points)} {drawn}".strip(),
    )


METHOD = Method(
    name="gradient_shap",
    title="GradientSHAP",
    about="Integrated gradients by random points: what each word adds, with the error of chance.",
    family="gradient",
    tier=3,
    signed=True,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"s_i = \mathbb E_{t,\varepsilon}\left[(e_i - b_i) \cdot "
    r"\frac{\partial F}{\partial e_i}\bigl(b + t\,(e + \varepsilon - b)\bigr)\right]",
    cost=lambda question: Passes(RUNS * SAMPLES + 2, RUNS * SAMPLES),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar", "baseline"}),
    draws=True,
)
