"""SmoothGrad (Smilkov and others 2017): the mean gradient over noisy copies of the text."""

from __future__ import annotations

import torch
from captum.attr import NoiseTunnel, Saliency

from core.saliency.blindness import without_gradient
from core.saliency.gradient.aggregation import aggregated
from core.saliency.gradient.seeding import SEED, seeded
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner, finite, without_cudnn

SAMPLES = 32
# Of the range of the text's embeddings: Captum's own default of 1.0 is far outside what a model has seen.
NOISE = 0.15


def run(question: Question, runner: Runner) -> Raw:
    """Captum's NoiseTunnel over Saliency, then the aggregation of the question."""
    embeddings = question.embeddings()
    sigma = NOISE * float(embeddings.max() - embeddings.min())
    with without_cudnn(), seeded(embeddings.device):
        gradient = NoiseTunnel(Saliency(runner.forward)).attribute(
            embeddings.requires_grad_(),
            nt_type="smoothgrad",
            nt_samples=SAMPLES,
            nt_samples_batch_size=min(SAMPLES, runner.graph_batch),
            stdevs=sigma,
            abs=False,
        )  # (1, T, E)
    values = aggregated(finite(gradient, "backwards")[0], embeddings.detach()[0], question.aggregation)
    note = f"{SAMPLES} noisy copies, standard deviation {sigma:.2g}: {NOISE:.0%} of the embeddings' range; seed {SEED}."
    return Raw(values.to(torch.float64), note=note)


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
    cost=lambda question: Passes(SAMPLES, SAMPLES),
    run=run,
    refuse=without_gradient,
    uses=frozenset({"scalar", "aggregation"}),
)
