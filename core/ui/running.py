"""A run as a person sees it: progress after a moment, a way to stop, one sentence if it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import HeadlightError
from core.jobs import Job, Progress
from core.text.cleaning import NothingToRead
from core.ui import resources
from core.ui.words import note

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Survey

# Most runs end before this, and a bar that flashes by only disturbs.
SECONDS_BEFORE_BAR = 0.4
STOPPED = "stopped_run"


@dataclass(frozen=True)
class Analysis:
    """A trace and the survey of its heads: all that a page draws from."""

    trace: Trace
    survey: Survey

    @property
    def nbytes(self) -> int:
        return self.trace.nbytes + self.survey.nbytes + self.trace.tokens.nbytes


def analyse(model_name: str, dtype: str, text: str) -> Analysis:
    """The analysis of a text, from the store or run now in this browser session's turn.

    Where there is none (an error, a stop), the page shows why in one sentence and ends here.
    """
    session = resources.session()
    request = (session.name, model_name, dtype, text)
    if st.session_state.get(STOPPED) == request:
        note("The run was stopped; press Analyse to start it again.", "info")
        st.stop()
    slot = st.empty()
    job = Job(session.name, model_name, listener=_ProgressBar(slot, request))
    try:
        return session.results.get_or_make(
            request,
            make=lambda: _run(job, model_name, dtype, text),
            size=lambda analysis: analysis.nbytes,
            while_waiting=lambda: job.waiting(1),
        )
    except HeadlightError as error:
        slot.empty()
        note(str(error), "info" if isinstance(error, NothingToRead) else "error")
        st.stop()
    finally:
        slot.empty()


def forget_stop() -> None:
    """A new press on Analyse means that an earlier stop no longer counts."""
    st.session_state.pop(STOPPED, None)


def _run(job: Job, model_name: str, dtype: str, text: str) -> Analysis:
    job.advance(0, 1, "starting PyTorch")
    # Imported here, after the first progress, because it takes seconds in a fresh server.
    from core.heads import survey

    model = resources.models().get(model_name, dtype, job)
    with resources.session().queues.of(model.device).turn(job):
        trace = model.run(text, job=job)
        return Analysis(trace, survey(trace, trace.streams[0], job))


class _ProgressBar:
    """Listens to a job; draws a bar and a Stop button once the job has taken a moment."""

    def __init__(self, slot: DeltaGenerator, request: tuple[str, ...]) -> None:
        self._slot = slot
        self._request = request
        self._bar: DeltaGenerator | None = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None and progress.seconds < SECONDS_BEFORE_BAR and progress.step != "starting PyTorch":
            return
        share, words = _told(progress)
        if self._bar is None:
            row = self._slot.container(horizontal=True, vertical_alignment="center", key="progress")
            self._bar = row.progress(share, words)
            row.button("Stop", key="stop", on_click=self._stop)
        self._bar.progress(share, words)

    def _stop(self) -> None:
        st.session_state[STOPPED] = self._request


def _told(progress: Progress) -> tuple[float, str]:
    """Share done and the words over the bar."""
    if progress.step == "waiting":
        ahead = "1 run is" if progress.total == 1 else f"{progress.total} runs are"
        return 0.0, f"Waiting for the device: {ahead} ahead of yours"
    left = progress.seconds_left
    ending = f", about {left:.0f} s left" if left and left >= 1 else ""
    step = progress.step[:1].upper() + progress.step[1:]
    return progress.done / max(progress.total, 1), f"{step}{ending}"
