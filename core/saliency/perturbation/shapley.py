"""Shapley values by sampling (Castro and others 2009): the mean of what a word adds, over random orders of arrival.

Captum's ShapleyValueSampling gives the mean alone; the spread over the orders, which tells how far to trust it, needs
each order's own contributions. So the orders are walked here, and a test holds the mean to Captum's.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.saliency.blindness import without_embeddings
from core.saliency.method import Method, Passes, Raw, missed
from core.saliency.question import Question
from core.saliency.runner import Runner

ORDERS = 25


def run(question: Question, runner: Runner) -> Raw:
    """Each order begins with the baseline and brings in one group after another, as embeddings."""
    count = len(question.groups)
    generator = torch.Generator().manual_seed(runner.seed)
    orders = torch.stack([torch.randperm(count, generator=generator) for _ in range(ORDERS)])  # (orders, count)
    with torch.no_grad():
        ends = runner.forward(torch.cat([question.baseline_embeddings(), question.embeddings()])).double().cpu()  # (2,)
        between = _between(question, runner, orders)
    whole = [ends[:1].expand(ORDERS, 1), between, ends[1:].expand(ORDERS, 1)]
    values = torch.cat(whole, dim=1)  # (orders, count + 1)
    gains = torch.zeros(ORDERS, count, dtype=torch.float64).scatter_(1, orders, values.diff(dim=1))
    difference = float(ends[1] - ends[0])
    total = float(gains.mean(dim=0).sum())
    return Raw(
        gains.mean(dim=0),
        delta=missed(total, difference),
        error=gains.std(dim=0) / ORDERS**0.5,
        rest=float(ends[0]),
        checks=(f"sum = F − F(baseline) = {difference:.3g} within {abs(total - difference):.1g}",),
        note=f"{ORDERS} random orders, seed {runner.seed}; ± is the standard error over them.",
    )


def _between(question: Question, runner: Runner, orders: Tensor) -> Tensor:
    """F after each arrival but the last: (orders, groups - 1). As many orders at once as a batch takes."""
    text, baseline = question.embeddings(), question.baseline_embeddings()
    steps = orders.shape[1] - 1
    if not steps:
        return torch.zeros(len(orders), 0, dtype=torch.float64)
    found = []
    for part in orders.split(max(1, runner.batch // steps)):
        there = torch.cat([_arrivals(question, order) for order in part])  # (orders · steps, T)
        found.append(runner.forward(torch.where(there[..., None], text, baseline)).double().cpu().view(-1, steps))
    return torch.cat(found)


def _arrivals(question: Question, order: Tensor) -> Tensor:
    """bool (groups - 1, T): the tokens of the text that are there after each arrival but the last.

    Special tokens are the same in text and baseline.
    """
    there = torch.zeros(len(order) - 1, len(question.tokens), dtype=torch.bool)
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
    refuse=without_embeddings,
    uses=frozenset({"scalar", "baseline"}),
    draws=True,
)
