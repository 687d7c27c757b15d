"""The progress of a job on the page: a bar after a moment, and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.jobs import Job, Progress
from core.ui import resources

T = TypeVar("T")

# Most runs end before this, and a bar that flashes by only disturbs.
SECONDS_BEFORE_BAR = 0.4
AT_ONCE = "starting PyTorch"


def with_progress(
    title: str, work: Callable[[Job], T], on_stop: Callable[[], None] | None = None, key: str = "progress"
) -> T:
    """Do the work of a job of this browser session, with a bar where the page stands now.

    A press on Stop starts the script again, which ends this run at its next step; on_stop is called before.
    key: names the bar; a page that may show several in one run gives each its own.
    Whatever the work raises is passed on.
    """
    slot = st.empty()
    try:
        return work(Job(resources.session().name, title, listener=_Bar(slot, on_stop, key)))
    finally:
        slot.empty()


class _Bar:
    """Listens to a job and draws it."""

    def __init__(self, slot: DeltaGenerator, on_stop: Callable[[], None] | None, key: str) -> None:
        self._slot = slot
        self._on_stop = on_stop
        self._key = key
        self._bar: DeltaGenerator | None = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None and progress.seconds < SECONDS_BEFORE_BAR and progress.step != AT_ONCE:
            return
        share, words = _told(progress)
        if self._bar is None:
            row = self._slot.container(horizontal=True, vertical_alignment="center", key=self._key)
            self._bar = row.progress(share, words)
            row.button("Stop", key=f"{self._key}_stop", on_click=self._on_stop)
        self._bar.progress(share, words)


def _told(progress: Progress) -> tuple[float, str]:
    """Share done and the words over the bar."""
    if progress.step == "waiting":
        ahead = "1 run is" if progress.total == 1 else f"{progress.total} runs are"
        return 0.0, f"Waiting for the device: {ahead} ahead of yours"
    left = progress.seconds_left
    ending = f", about {left:.0f} s left" if left and left >= 1 else ""
    step = progress.step[:1].upper() + progress.step[1:]
    return progress.done / max(progress.total, 1), f"{step}{ending}"
