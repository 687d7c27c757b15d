"""Erasure: what becomes of the answer as words are removed or brought in, in each method's order (methods.md 2.6).

It tells which words this model's answer hangs on when they go, in this way of removing them; not why.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.agreement.columns import Column, column_of
from core.agreement.erasure_answers import LEAD, PROBABILITY, SURE, ErasureReader
from core.agreement.erasure_curves import Curve, Erasure, curve_of, mean_of, numbers_of
from core.agreement.erasure_orders import Gone, Order, order_of, random_orders, removed, sets_of, steps_of
from core.agreement.erasure_ways import ATTENTION, DELETE, WAYS, ways_of, why_not
from core.agreement.light import Light, light_of
from core.errors import HeadlightError
from core.jobs import Job
from core.saliency.perturbation.versions import without
from core.saliency.question import Question
from core.saliency.runner import Runner
from core.saliency.scores import Scores

ORDERS = 20
# Texts that are made at once; the runner splits them into batches that fit.
TEXTS = 1024
# Probability of the target (or what it has in its place), by how much it leads, how sure the model is.
Read = tuple[float, float, float]
NOTHING: Read = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class ErasureCost:
    """Passes at most, and seconds, about."""

    forwards: int
    seconds: float


def erasure_cost(question: Question, methods: int, orders: int = ORDERS) -> ErasureCost:
    """What erasure by so many methods and random orders will take at most: orders share the texts they have alike."""
    between = max(0, len(steps_of(len(question.groups))) - 2)
    forwards = 2 + 2 * between * (methods + orders)
    once = question.model.estimate(len(question.tokens), len(question.reading.decoder or ())).seconds
    return ErasureCost(forwards, forwards * once)


def erasure(
    question: Question,
    scored: Sequence[Scores | Column],
    orders: int = ORDERS,
    seed: int = 0,
    by: str | None = None,
    job: Job | None = None,
) -> Erasure:
    """Deletion and insertion curves of each method beside those of random orders.

    Words go by the size of their value; where methods have signs, those that speak most for the target go first.
    scored: methods' scores of this question, or baselines of it; by: one of `WAYS`, what suits the model when None.
    Raises HeadlightError for one word, and for a way that the model does not allow.
    """
    n, model = len(question.groups), question.model
    if n < 2:
        raise HeadlightError("One word has no order: type at least two.")
    if by is not None and by not in WAYS:
        raise HeadlightError(f"There is no way {by[:40]!r} to remove words: choose one of {', '.join(WAYS)}.")
    way = by or ways_of(model)[0]
    if sentence := why_not(model, way):
        raise HeadlightError(sentence)
    columns = [column_of(each) for each in scored]
    if any(column.labels != question.labels for column in columns):
        raise ValueError("the scores are not those of the question's words")
    steps, drawn = steps_of(n), random_orders(n, orders, seed)
    own = {column.name: order_of(column.values, seed) for column in columns}
    start = time.perf_counter()
    sets = sets_of([*own.values(), *drawn], steps)
    runner = Runner(replace(question, reader=ErasureReader(question.reader)), job, "Erasure", len(sets))
    answers = _answers(runner, sets, way)

    def read(gone: Gone) -> tuple[float, float]:
        found = answers[gone]
        return found[PROBABILITY], found[LEAD]

    random = _stacked([curve_of(order, steps, read) for order in drawn], len(steps))
    curves = {name: curve_of(order, steps, read) for name, order in own.items()}
    chance = [numbers_of(order, steps, read, curve_of(order, steps, read), random) for order in drawn]
    return Erasure(
        by=way,
        fractions=np.array(steps) / n,
        curves=curves,
        random=random,
        numbers={name: numbers_of(order, steps, read, curves[name], random) for name, order in own.items()},
        chance=mean_of(chance),
        ood=_light(question, way, answers, drawn),
        n=n,
        seed=seed,
        forwards=runner.forwards,
        seconds=time.perf_counter() - start,
        notes=tuple(_notes(columns, answers)),
        measure=question.target.measure,
    )


def _answers(runner: Runner, sets: Sequence[Gone], way: str) -> Mapping[Gone, Read]:
    """What is left of the answer for each set of gone words."""
    question = runner.question
    found: dict[Gone, Read] = {}
    readable = [gone for gone in sets if _leaves_a_text(question, gone, way)]
    for start in range(0, len(readable), TEXTS):
        part = readable[start : start + TEXTS]
        versions = without(question, part, way)
        read = runner.forward_ids(versions.ids, versions.mask, versions.types)  # (N, 3)
        found |= {gone: (row[PROBABILITY], row[LEAD], row[SURE]) for gone, row in zip(part, read.tolist(), strict=True)}
    return {gone: found.get(gone, NOTHING) for gone in sets}


def _leaves_a_text(question: Question, gone: Gone, way: str) -> bool:
    """A model without special tokens has nothing to read once all words are cut out or hidden."""
    return way not in (ATTENTION, DELETE) or len(gone) < len(question.groups) or _has_special(question)


def _has_special(question: Question) -> bool:
    return len(question.scored) < len(question.tokens)


def _stacked(curves: Sequence[Curve], points: int) -> Curve:
    """(orders, points); of no orders (0, points)."""
    out, back = ([getattr(curve, side) for curve in curves] for side in ("deletion", "insertion"))
    return Curve(np.array(out).reshape(-1, points), np.array(back).reshape(-1, points))


def _light(question: Question, way: str, answers: Mapping[Gone, Read], orders: Sequence[Order]) -> Light:
    n = len(question.groups)
    middle = min(steps_of(n), key=lambda count: abs(count - n / 2))
    halves = [answers[removed(order, middle)][SURE] for order in orders]
    half = float(np.mean(halves)) if halves else math.nan
    return light_of(question, way, answers[frozenset()][SURE], half, answers[frozenset(range(n))][SURE])


def _notes(columns: Sequence[Column], answers: Mapping[Gone, Read]) -> list[str]:
    """What a reader has to know of this run."""
    notes = []
    for column in columns:
        different = len(set(column.values.tolist()))
        if different == 1:
            notes.append(f"{column.title} gives all words the same score: its order is drawn at random.")
        elif different < len(column.values):
            notes.append(f"{column.title} gives some words the same score: their order is drawn at random.")
    if any(math.isnan(read[PROBABILITY]) for read in answers.values()):
        notes.append("Without any word there is no text to read, so the curves leave out that end.")
    return notes
