"""Seconds against source length, measured here on a click: in a thread of its own, in slices, drawn as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.jobs import Background, Job
from core.ui import own_models, resources
from core.ui.alignment.running import DTYPE
from core.ui.alignment.state import MEASURED
from core.ui.card import figure_card
from core.ui.live_plot import draw_live
from core.ui.starting import libraries
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.alignment.speed import Timing
    from core.models.pool import ModelPool

LENGTHS = (4, 8, 16, 32, 64)
SECONDS_BETWEEN = 1.0
# As in `core.alignment.speed`, which takes seconds to import.
MOST_SECONDS_A_POINT = 10.0
WHAT = (
    "Each model reads a source of 4 to 64 tokens and writes as many. A recurrent network reads them one after the "
    "other, a Transformer all at once; both write one token after the other. Reading all at once pays on long sources "
    "and devices that compute much side by side: a small network on a processor may be faster one by one."
)
COST = (
    "Takes about {cost} at the pace of the sentence above. Each number is the median of 3 to 15 passes; whatever else "
    "this machine computes meanwhile makes it larger."
)
MISSING = "Left out: lengths that a model does not read, or that would take more than {seconds:.0f} seconds."
STATES = {"waiting": "Waiting for the device", "running": "Measuring", "done": "Done", "stopped": "Stopped"}
# Of a point: writing takes most of it, so many passes or seconds; reading the source and the target are quick.
PASSES, SECONDS_A_PART, OTHER_PARTS = 4, 0.25, 2


@dataclass(frozen=True)
class Measurement:
    """The points of some models, as many as there are so far. labels: what the models are called, by their names."""

    labels: dict[str, str]
    background: Background[Timing]
    found: list[Timing] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(LENGTHS) * len(self.labels)


def seconds_card(labels: dict[str, str], paces: dict[str, float]) -> None:
    """The card of the measurement, drawn again every second while one goes on.

    labels: what the models that are shown are called; paces: their seconds a token, both by the models' names.
    """
    live = is_live(_measured())
    st.fragment(_draw, run_every=SECONDS_BETWEEN if live else None)(labels, paces, live)


def cost_of(paces: Iterable[float]) -> str:
    """About what it takes to measure models of these paces, in words."""
    seconds = sum(
        max(SECONDS_A_PART, PASSES * pace * length) + OTHER_PARTS * SECONDS_A_PART
        for pace in paces
        for length in LENGTHS
        if PASSES * pace * length <= MOST_SECONDS_A_POINT
    )
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def is_live(measured: Measurement | None) -> bool:
    """Whether somebody measures still."""
    return measured is not None and not measured.background.ended


def _draw(labels: dict[str, str], paces: dict[str, float], was_live: bool) -> None:
    measured = _measured()
    live = is_live(measured)
    if measured is not None and not live and not measured.labels.keys() <= labels.keys():
        # Another direction may call its models the same.
        measured = None
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
                small_print(COST.format(cost=cost_of(paces.values())), "cost")
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
            missing = MISSING.format(seconds=MOST_SECONDS_A_POINT) if state == STATES["done"] and done < total else ""
            names = ", ".join(measured.labels.values())
            small_print(f"{state}: {done} of {total} points. {names}. {missing}".strip(), "measured")
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
    """Begin to measure these models in a thread, unless one does; to be called as a callback."""
    if is_live(_measured()):
        return
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
