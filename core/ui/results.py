"""What is worked out of a run when somebody looks at it: from the store, or made now with progress, never run again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from core.errors import HeadlightError
from core.heads import Filters, Survey, WholeMap, retiled, whole_map
from core.jobs import Job
from core.ui import resources
from core.ui.picks import SPECIAL, WORDS
from core.ui.progress import with_progress
from core.ui.running import Analysis, Task
from core.ui.words import note
from core.views import View

T = TypeVar("T")
_STOPPED_WHOLE = "stopped_whole_map"


def survey_under(analysis: Analysis, task: Task, stream: str, filters: Filters) -> Survey:
    """The survey of a stream with its tiles under filters; without filters it is that of the run."""
    plain = analysis.surveys[stream]
    if filters == Filters():
        return plain
    return _stored(
        task,
        ("tiles", stream, filters),
        lambda job: retiled(analysis.trace, plain, filters, job),
        lambda survey: survey.nbytes,
        _show_everything,
    )


def whole_of(analysis: Analysis, task: Task, view: View) -> WholeMap | None:
    """The whole of a long map; None, with a sentence, where somebody stopped it or there is no memory for it."""
    what = ("whole", view.stream, view.layer, view.head, view.filters)
    if st.session_state.get(_STOPPED_WHOLE) == what:
        note("The map of the whole text was stopped; open another head, or come back to this one, to draw it.")
        return None
    st.session_state.pop(_STOPPED_WHOLE, None)
    try:
        return _stored(
            task,
            what,
            lambda job: whole_map(analysis.trace, view.stream, view.layer, view.head, view.filters, job),
            lambda whole: whole.weights.nbytes,
            lambda: st.session_state.update({_STOPPED_WHOLE: what}),
        )
    except HeadlightError as error:
        note(str(error), "error")
        return None


def _stored(
    task: Task,
    what: tuple[object, ...],
    make: Callable[[Job], T],
    size: Callable[[T], int],
    on_stop: Callable[[], None],
) -> T:
    session = resources.session()

    def work(job: Job) -> T:
        key = (session.name, task, *what)
        return session.results.get_or_make(key, lambda: make(job), size, while_waiting=lambda: job.waiting(1))

    return with_progress(task.model, work, on_stop, key=f"{what[0]}_progress")


def _show_everything() -> None:
    """Whoever stops the filters' work wants to see what was there before."""
    st.session_state[WORDS], st.session_state[SPECIAL] = False, "show"
