"""Running methods: one for a notebook, many for a page, each as soon as it is ready."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.models.generation import GREEDY, Decoding
from core.models.model import Model
from core.saliency.asking import WORD, ask
from core.saliency.method import Method, Passes, Raw, merge
from core.saliency.methods import METHODS
from core.saliency.question import Question
from core.saliency.runner import Runner
from core.saliency.scores import Scores
from core.saliency.targets import Wanted

# A backward pass takes about twice as long as a forward pass.
BACKWARD = 2.0


@dataclass(frozen=True)
class Refused:
    """A method that cannot explain this, and the sentence why."""

    method: str
    sentence: str


def explain(
    model: Model,
    text: str,
    method: str = "integrated_gradients",
    text_pair: str | None = None,
    target: Wanted = None,
    scalar: str | None = None,
    baseline: str | None = None,
    aggregation: str | None = None,
    *,
    by: str = WORD,
    at: int | str | None = None,
    answer: str | None = None,
    decoding: Decoding = GREEDY,
    job: Job | None = None,
) -> Scores:
    """One method's scores for one text; see `core.saliency.ask` for the choices.

    Raises HeadlightError where there is no such method or it cannot explain this.
    """
    method_of(method)
    question = ask(
        model, text, text_pair=text_pair, target=target, scalar=scalar, baseline=baseline, aggregation=aggregation,
        by=by, at=at, answer=answer, decoding=decoding, job=job,
    )  # fmt: skip
    return scores_of(question, method, job)


def explain_all(question: Question, names: Sequence[str], job: Job | None = None) -> Iterator[Scores | Refused]:
    """The scores of many methods, each as soon as it is ready; a method that cannot do it says why.

    Raises what stops a job.
    """
    for name in names:
        try:
            yield scores_of(question, name, job)
        except Cancelled:
            raise
        except HeadlightError as error:
            yield Refused(name, str(error))


def scores_of(question: Question, name: str, job: Job | None = None, seed: int = 0) -> Scores:
    """One method's scores for a question; seed: of what it draws at random.

    Raises HeadlightError where it cannot explain this.
    """
    method = method_of(name)
    if sentence := method.refuse(question.model):
        raise HeadlightError(sentence)
    runner = Runner(question, job, method.title, int(method.cost(question).forwards), seed)
    start = time.perf_counter()
    raw = method.run(question, runner)
    return _scores(method, question, raw, runner, time.perf_counter() - start)


def method_of(name: str) -> Method:
    """The method of that name. Raises HeadlightError where there is none."""
    if name not in METHODS:
        raise HeadlightError(f"There is no method called {name[:40]!r}: choose one of {', '.join(METHODS)}.")
    return METHODS[name]


def cost_of(question: Question, names: Sequence[str]) -> Passes:
    """Passes that methods will take, told before they are paid; those that refuse take none."""
    each = [METHODS[n].cost(question) for n in names if not METHODS[n].refuse(question.model)]
    return Passes(sum(c.forwards for c in each), sum(c.backwards for c in each))


def estimate(question: Question, names: Sequence[str], seeds: int = 1) -> float:
    """Seconds that methods will take, about, by what a pass over the text was estimated to take.

    seeds: from how many of them each that draws at random is run.
    """
    passes = cost_of(question, [name for name in names for _ in range(seeds if METHODS[name].draws else 1)])
    once = question.model.estimate(len(question.tokens), len(question.reading.decoder or ())).seconds
    return once * (passes.forwards + BACKWARD * passes.backwards)


def _scores(method: Method, question: Question, raw: Raw, runner: Runner, seconds: float) -> Scores:
    values = raw.values.detach().double().cpu()
    error = None if raw.error is None else raw.error.detach().double().cpu().numpy()
    if not bool(torch.isfinite(values).all()):
        raise HeadlightError(
            f"{method.title} gave values that are not numbers: load the model in float32, or choose another method."
        )
    native = method.merge == "native"
    merged = values if native else merge(values, question.groups, method.merge)
    outside = 0.0 if native else float(values.sum() - values[list(question.scored)].sum())
    return Scores(
        method=method.name,
        title=method.title,
        values=np.asarray(merged.numpy(), dtype=np.float64),
        tokens=question.tokens,
        groups=question.groups,
        labels=question.labels,
        signed=method.signed,
        class_specific=method.class_specific,
        additive=method.additive,
        completeness_delta=raw.delta,
        rest=outside if raw.rest is None else raw.rest,
        error=error,
        target=question.target,
        scalar=question.scalar if "scalar" in method.uses else "",
        baseline=question.baseline if "baseline" in method.uses else "",
        aggregation=question.aggregation if "aggregation" in method.uses else "",
        by=question.by,
        # What reads the trace alone shares one pass with all others.
        forwards=runner.forwards or 1,
        backwards=runner.backwards,
        seconds=seconds,
        checks=raw.checks,
        note=raw.note,
        model=question.model.name,
    )
