"""Seconds against source length, measured here on a click: in a thread of its own, in slices, drawn as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.jobs import Background, Job
from core.ui import own_models, resources
from core.ui.alignment.running import DTYPE
from core.ui.alignment.state import MEASURED
from core.ui.card import figure_card
from core.ui.starting import libraries
from core.ui.training.live_plot import draw_live
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.alignment.speed import Timing
    from core.models.pool import ModelPool

LENGTHS = (4, 8, 16, 32, 64)
SECONDS_BETWEEN = 1.0
WHAT = (
    "Each model reads a source of 4 to 64 tokens and writes as many. A recurrent network reads them one after the "
    "other, a Transformer all at once; both write one token after the other."
)
COST = "Takes about {seconds:.0f} seconds here. Other runs get their turns in between."
STATES = {"waiting": "Waiting for the device", "running": "Measuring", "done": "Done", "stopped": "Stopped"}
# Of a small model, until one has been measured: opening it, and its five lengths a few times each.
SECONDS_A_MODEL = 4


@dataclass(frozen=True)
class Measurement:
    """The points of some models, as many as there are so far. labels: what the models are called, by their names."""

    labels: dict[str, str]
    background: Background[Timing]
    found: list[Timing] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(LENGTHS) * len(self.labels)


def seconds_card(labels: dict[str, str]) -> None:
    """The card of the measurement, drawn again every second while one goes on. labels: of the models that are shown."""
    measured = _measured()
    live = measured is not None and not measured.background.ended
    st.fragment(_draw, run_every=SECONDS_BETWEEN if live else None)(labels, live)


def _draw(labels: dict[str, str], was_live: bool) -> None:
    measured = _measured()
    live = measured is not None and not measured.background.ended
    if live and not was_live:
        # A press inside a fragment runs the fragment alone: only the whole page draws it again every second.
        st.rerun()
    if measured is None or not measured.found:
        with st.container(border=True, key="seconds_empty"):
            st.markdown("**Seconds by source length**")
            small_print(WHAT, "caption")
            if measured is not None and live:
                _status(measured, live, labels)
            else:
                _button(labels, "Measure")
                small_print(COST.format(seconds=SECONDS_A_MODEL * len(labels)), "cost")
            _problem(measured)
    else:
        _figure(measured, live)
        _status(measured, live, labels)
        _problem(measured)
    if was_live and not live:
        st.rerun()


def _status(measured: Measurement, live: bool, labels: dict[str, str]) -> None:
    done, total = len(measured.found), measured.total
    state = STATES.get(measured.background.state, "")
    with st.container(horizontal=True, vertical_alignment="center", key="seconds_status"):
        if live:
            st.progress(min(1.0, done / total), f"{state}: {done} of {total} points")
            st.button("Stop", icon=":material/stop:", on_click=measured.background.stop, key="stop_measuring")
        else:
            small_print(f"{state}: {done} of {total} points. {', '.join(measured.labels.values())}.", "measured")
            _button(labels, "Measure again")


def _figure(measured: Measurement, live: bool) -> None:
    from core.models.devices import best_device, describe_device
    from core.views import seconds_figure

    timings = [replace(timing, model=measured.labels[timing.model]) for timing in list(measured.found)]
    figure = seconds_figure(timings, describe_device(best_device()), tuple(measured.labels.values()))
    figure_card(figure, {}, {}, draw=lambda each: draw_live(each, tuple(measured.labels), live))


def _problem(measured: Measurement | None) -> None:
    if measured is not None and measured.background.error:
        note(measured.background.error, "error")


def _button(labels: dict[str, str], words: str) -> None:
    st.button(
        words, icon=":material/timer:", on_click=begin, args=(labels,), disabled=not labels, key="measure_seconds"
    )


def _timings(pool: ModelPool, folders: dict[str, Path | None], job: Job) -> Iterator[Timing]:
    from core.alignment.speed import timings

    for name, folder in folders.items():
        yield from timings([pool.get(name, DTYPE, job, folder=folder)], LENGTHS, job)


def _measured() -> Measurement | None:
    found = st.session_state.get(MEASURED)
    return found if isinstance(found, Measurement) else None


def begin(labels: dict[str, str]) -> None:
    """Begin to measure these models in a thread; to be called as a callback, once torch has been imported."""
    libraries()
    from core.models.devices import best_device

    session = resources.session()
    job = Job(session.name, "seconds by length")
    found: list[Timing] = []
    folders = {name: own_models.folder_of(name) for name in labels}
    steps = _timings(resources.models(), folders, job)
    background = Background(job, steps, session.queues.of(best_device()), found.append)
    session.at_end(background.cancel)
    st.session_state[MEASURED] = Measurement(dict(labels), background, found)
    background.start()
