"""A run as a person sees it: an analysis from the store or made now, or one sentence why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Job
from core.models.refusals import RandomWeights
from core.text.cleaning import NothingToRead
from core.ui import own_models, resources
from core.ui.progress import AT_ONCE, with_progress
from core.ui.starting import libraries
from core.ui.words import note
from core.ui.writing import NOTHING, Writing

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Survey
    from core.models.card import ModelCard
    from core.models.reporting.report import LoadReport

STOPPED = "stopped_run"
INSISTED = "insisted_models"


@dataclass(frozen=True)
class Task:
    """What is asked of a model: enough to know whether a stored analysis is the one that is wanted."""

    model: str
    dtype: str
    text: str
    text_pair: str | None = None
    writing: Writing = NOTHING
    insist: bool = False


@dataclass(frozen=True)
class Analysis:
    """A trace, the survey of the heads of each stream, and the model's card and load report."""

    trace: Trace
    surveys: dict[str, Survey]
    card: ModelCard
    report: LoadReport

    @property
    def nbytes(self) -> int:
        surveys = sum(survey.nbytes for survey in self.surveys.values())
        return self.trace.nbytes + self.trace.tokens.nbytes + surveys


def analyse(task: Task) -> Analysis | None:
    """The analysis of a text, from the store or run now in this browser session's turn.

    Where there is none (an error, a stop), the page shows why in one sentence, and this is None.
    """
    if st.session_state.get(STOPPED) == task:
        note("The run was stopped; press Analyse to start it again.", "info")
        return None
    try:
        return with_progress(task.model, lambda job: _stored(job, task), on_stop=lambda: _remember_stop(task))
    except RandomWeights as error:
        note(str(error), "error")
        st.button("Draw it anyway", on_click=_insist, args=(task.model,), key="insist")
    except HeadlightError as error:
        note(str(error), "info" if isinstance(error, NothingToRead) else "error")
    return None


def insisted(model: str) -> bool:
    """Whether this browser session wants maps of a model although they come from random weights."""
    return model in st.session_state.get(INSISTED, ())


def forget_stop() -> None:
    """A new press on Analyse means that an earlier stop no longer counts."""
    st.session_state.pop(STOPPED, None)


def _remember_stop(task: Task) -> None:
    st.session_state[STOPPED] = task


def _insist(model: str) -> None:
    st.session_state[INSISTED] = (*st.session_state.get(INSISTED, ()), model)


def _stored(job: Job, task: Task) -> Analysis:
    session = resources.session()
    return session.results.get_or_make(
        (session.name, task),
        make=lambda: _run(job, task),
        size=lambda analysis: analysis.nbytes,
        while_waiting=lambda: job.waiting(1),
    )


def _run(job: Job, task: Task) -> Analysis:
    job.advance(0, 1, AT_ONCE)
    # Imported here, after the first progress, because it takes seconds in a fresh server.
    from core.heads import survey

    libraries()
    folder = own_models.folder_of(task.model)
    model = resources.models().get(task.model, task.dtype, job, insist=task.insist, folder=folder)
    with resources.session().queues.of(model.device).turn(job):
        # A wish that was made for another model is no fault of this one's.
        target = task.writing.target if model.card.answers else None
        pair, generate = (None, task.writing.generate) if model.card.writes else (task.text_pair, 0)
        trace = model.run(task.text, pair, target, generate, decoding=task.writing.decoding(), job=job)
        surveys = {stream: survey(trace, stream, job) for stream in trace.streams}
        return Analysis(trace, surveys, model.card, model.report)
