"""SmoothGrad (Smilkov and others 2017): the mean gradient over noisy copies of the text."""

from __future__ import annotations

import torch
from captum.attr import NoiseTunnel, Saliency
from torch import Tensor

from core.saliency.blindness import without_gradient
from core.saliency.gradient.aggregation import aggregated
from core.saliency.gradient.seeding import seeded
from core.saliency.method import Method, Passes, Raw, merge
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn

# Of the standard deviation of the text's embeddings. Their range is set by a few outliers, 25 deviations apart in
# MiniLM: a noise of 15 % of it drowns the text. One whole deviation already does in SmolLM2, whose gradients then keep
# no order however many are drawn (tau .33 between seeds of 128 samples each, .96 at a half).
NOISE = 0.5
# Runs of a few samples each: how much they differ gives the standard error. Of 64 samples tau between seeds, over a
# text of 12 words, is .98 in MiniLM, .96 as fine-tuned and in a BiLSTM, .91 in SmolLM2.
RUNS, SAMPLES = 8, 8


def run(question: Question, runner: Runner) -> Raw:
    """The mean of Captum's NoiseTunnel over runs, aggregated as asked, with its jackknife standard error."""
    embeddings = question.embeddings()
    sigma, batch = NOISE * float(embeddings.float().std()), min(SAMPLES, runner.graph_batch)
    runs = []
    for number in range(RUNS):
        with without_cudnn(), seeded(embeddings.device, runner.seed * RUNS + number):
            found = NoiseTunnel(Saliency(runner.forward)).attribute(
                embeddings.detach().requires_grad_(),
                nt_type="smoothgrad",
                nt_samples=SAMPLES,
                nt_samples_batch_size=batch,
                stdevs=sigma,
                abs=False,
            )  # (1, T, E)
        runs.append(finite(found, "backwards")[0].double())  # (T, E)

    def scored(gradient: Tensor) -> Tensor:
        return aggregated(gradient, embeddings[0], question.aggregation)  # (T, E) -> (T,)

    total = torch.stack(runs).sum(dim=0)  # (T, E)
    without = [merge(scored((total - run) / (RUNS - 1)), question.groups, METHOD.merge) for run in runs]
    return Raw(
        scored(total / RUNS),
        error=torch.stack(without).std(dim=0) * (RUNS - 1) / RUNS**0.5,  # (RUNS, groups) -> (groups,)
        note=f"{RUNS * SAMPLES} noisy copies, standard deviation {sigma:.2g}: {NOISE:.0%} of the embeddings'; "
        f"seed {runner.seed}; ± is the standard error.",
    )


METHOD = Method(
    name="smoothgrad",
    title="SmoothGrad",
    about="The size of the gradient, averaged over copies of the text whose embeddings are blurred a little.",
    family="gradient",
    tier=3,
    signed=False,
    class_specific=True,
    additive=False,
    merge="largest",
    formula=r"s_i = \left\lVert \tfrac1S \sum_s \frac{\partial F}{\partial e_i}(e + \varepsilon_s) \right\rVert_2,"
    r"\ \varepsilon_s \sim \mathcal N(0, \sigma^2)",
    cost=lambda question: Passes(RUNS * SAMPLES, RUNS * SAMPLES),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar", "aggregation"}),
    draws=True,
)
