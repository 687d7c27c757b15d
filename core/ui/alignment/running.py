"""A sentence through each model: from the store or run now, and one sentence for a model that cannot."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.background import sentence_of
from core.ui import own_models, resources
from core.ui.alignment.going_on import GoingOn
from core.ui.alignment.state import STOPPED
from core.ui.alignment.wish import Wish
from core.ui.progress import AT_ONCE, with_progress
from core.ui.starting import libraries
from core.ui.words import note

if TYPE_CHECKING:
    from core.capture import Trace
    from core.models.card import ModelCard
    from core.models.reporting.report import LoadReport

DTYPE = "float32"
SPARE, MOST_WRITTEN = 24, 128
NOT_THIS_KIND = "{name} is no encoder-decoder, so it translates nothing: choose another model."


@dataclass(frozen=True)
class Reading:
    """What is asked of one model: enough to know whether a stored run is the one that is wanted.

    target: what it is made to say, "" to let it write; prefix: the tokens that what it writes begins with.
    """

    model: str
    text: str
    decoding: str
    beams: int
    target: str = ""
    prefix: tuple[int, ...] = ()


@dataclass(frozen=True)
class Run:
    """One model's answer. seconds: what it took."""

    reading: Reading
    trace: Trace
    card: ModelCard
    report: LoadReport
    seconds: float

    @property
    def attends(self) -> bool:
        """Whether its decoder attends to the source."""
        return "cross" in self.trace.streams

    @property
    def pace(self) -> float:
        """Seconds a token that was written or said."""
        return self.seconds / max(1, len(self.trace.said_ids))

    @property
    def nbytes(self) -> int:
        return self.trace.nbytes + self.trace.tokens.nbytes


@dataclass(frozen=True)
class Outcome:
    """What came of one model: a run, or one sentence why there is none."""

    model: str
    run: Run | None
    problem: str = ""


def most_written(text: str) -> int:
    """Tokens that a model may write: enough for any translation, and an end for one that repeats itself for ever."""
    return min(MOST_WRITTEN, SPARE + len(text))


def reading_of(wish: Wish, model: str, going_on: GoingOn | None) -> Reading:
    """What a wish asks of one of its models. going_on: what a model's text is made to begin with, if one's is."""
    kind = "greedy" if wish.decoding == "forced" else wish.decoding
    beams = wish.beams if kind == "beam" else 1
    if going_on is not None and going_on.model == model:
        return Reading(model, wish.text, kind, beams, prefix=going_on.prefix)
    return Reading(model, wish.text, kind, beams, wish.target)


def outcomes_of(wish: Wish, going_on: GoingOn | None) -> tuple[Outcome, ...] | None:
    """What comes of each model, one after the other; None, with a sentence, where somebody stopped them."""
    if not wish.text.strip():
        return ()
    if st.session_state.get(STOPPED) == wish:
        note("The run was stopped; press Translate to start it again.", "info")
        return None
    return tuple(_outcome(wish, reading_of(wish, name, going_on)) for name in wish.models)


def _outcome(wish: Wish, reading: Reading) -> Outcome:
    try:
        run = with_progress(
            reading.model,
            lambda job: _stored(job, reading),
            on_stop=lambda: st.session_state.update({STOPPED: wish}),
            key=f"alignment_progress_{wish.models.index(reading.model)}",
        )
    except Exception as error:
        return Outcome(reading.model, None, sentence_of(error, reading.model))
    return Outcome(reading.model, run)


def _stored(job: Job, reading: Reading) -> Run:
    session = resources.session()
    return session.results.get_or_make(
        (session.name, "alignment", reading),
        make=lambda: _run(job, reading),
        size=lambda run: run.nbytes,
        while_waiting=lambda: job.waiting(1),
    )


def _run(job: Job, reading: Reading) -> Run:
    job.advance(0, 1, AT_ONCE)
    libraries()
    from core.models.generation import Decoding

    folder = own_models.folder_of(reading.model)
    model = resources.models().get(reading.model, DTYPE, job, folder=folder)
    if not model.card.answers:
        raise HeadlightError(NOT_THIS_KIND.format(name=reading.model))
    with resources.session().queues.of(model.device).turn(job):
        started = time.perf_counter()
        trace = model.run(
            reading.text,
            target=reading.target or None,
            generate=0 if reading.target else most_written(reading.text),
            decoding=Decoding(reading.decoding, beams=reading.beams if reading.decoding == "beam" else None),
            prefix=reading.prefix,
            job=job,
        )
        return Run(reading, trace, model.card, model.report, time.perf_counter() - started)
