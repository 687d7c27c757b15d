"""Shapley values by sampling (Castro and others 2009): the mean of what a word adds, over random orders of arrival.

Captum's ShapleyValueSampling gives the mean alone; the spread over the orders, which tells how far to trust it, needs
each order's own contributions. So the orders are walked here, and a test holds the mean to Captum's.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner

ORDERS = 25
SEED = 0


def run(question: Question, runner: Runner) -> Raw:
    """Each order begins with the baseline and brings in one group after another, as embeddings."""
    count = len(question.groups)
    generator = torch.Generator().manual_seed(SEED)
    text, baseline = question.embeddings(), question.baseline_embeddings()
    gains = torch.zeros(ORDERS, count, dtype=torch.float64)
    with torch.no_grad():
        ends = runner.forward(torch.cat([baseline, text])).double().cpu()  # (2,)
        for number in range(ORDERS):
            order = torch.randperm(count, generator=generator)
            steps = _arrivals(question, order)  # (count - 1, T)
            between = runner.forward(torch.where(steps[..., None], text, baseline)).double().cpu()
            values = torch.cat([ends[:1], between, ends[1:]])  # (count + 1,)
            gains[number, order] = values.diff()
    difference = float(ends[1] - ends[0])
    total = float(gains.mean(dim=0).sum())
    return Raw(
        gains.mean(dim=0),
        delta=abs(total - difference) / max(abs(difference), 1e-6),
        error=gains.std(dim=0) / ORDERS**0.5,
        rest=float(ends[0]),
        checks=(f"sum = F − F(baseline) = {difference:.3g} within {abs(total - difference):.1g}",),
        note=f"{ORDERS} random orders, seed {SEED}; ± is the standard error over them.",
    )


def _arrivals(question: Question, order: Tensor) -> Tensor:
    """bool (groups - 1, T): the tokens of the text that are there after each arrival but the last."""
    there = torch.zeros(max(0, len(order) - 1), len(question.tokens), dtype=torch.bool)
    for step, group in enumerate(order[:-1].tolist()):
        there[step:, list(question.groups[group])] = True
    return there.to(question.input_ids().device)


METHOD = Method(
    name="shapley",
    title="Shapley values",
    about="What a word adds to the answer on average, whichever words came before; sums to the change of the answer.",
    family="perturbation",
    tier=3,
    signed=True,
    class_specific=True,
    additive=True,
    merge="native",
    formula=r"s_i = \frac1{|\Pi|}\sum_{\pi \in \Pi} F(x_{\pi \le i}) - F(x_{\pi < i})",
    cost=lambda question: Passes(ORDERS * max(0, len(question.groups) - 1) + 2),
    run=run,
    uses=frozenset({"scalar", "baseline"}),
)
