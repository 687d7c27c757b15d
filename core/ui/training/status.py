"""Where the runs stand, in a line each: state, step, time left, a bar; and the way to stop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape

import streamlit as st

from core.training.history import Record
from core.ui.training.lesson import TRAINING
from core.ui.training.panels import names_of
from core.ui.training.runs import Run, going_on, stop

STATES = {"done": "Done", "stopped": "Stopped", "failed": "Ended by an error"}


def show_status(runs: Sequence[Run], records: Sequence[Record]) -> None:
    """A line for each run that is shown or goes on, with a Stop button while one does."""
    shown = {run.number: record for run, record in zip(runs, records, strict=True)}
    others = [run for run in going_on() if run.number not in shown]
    names = names_of((*runs, *others))
    lines = [_line(run, names[run.number], shown[run.number], f"run-{place}") for place, run in enumerate(runs, 1)]
    lines += [_line(run, names[run.number], run.record, "") for run in others]
    with st.container(horizontal=True, vertical_alignment="center", key="training_status"):
        with st.container(key="training_lines"):
            st.html(f'<div class="headlight-runs" role="status" aria-live="off">{"".join(lines)}</div>')
        if busy := going_on():
            stopping = all(run.background.stopping for run in busy)
            st.button(
                "Stopping …" if stopping else "Stop",
                icon=":material/stop:",
                on_click=stop,
                disabled=stopping,
                help="What was learnt so far is kept.",
                key="stop_training",
            )


def _line(run: Run, name: str, record: Record, colour: str) -> str:
    step, steps = record.steps[-1].step if record.steps else 0, run.recipe.options.steps
    share = 100 * step / steps
    told = verdict(run) if run.ended else _left(run, step, steps)
    return (
        f'<div class="run {colour}"><span class="name"><i></i>{escape(name)}</span>'
        f'<span class="state {run.state}">{escape(state_words(run))}</span>'
        f'<span class="step">step {step:,} of {steps:,}{told}</span>'
        f'<div class="track" role="progressbar" aria-label="{escape(name)}" aria-valuenow="{share:.0f}" '
        f'aria-valuemin="0" aria-valuemax="100"><b style="width:{share:.2f}%"></b></div></div>'
    )


def verdict(run: Run) -> str:
    """What came of a run that has ended, as HTML; "" where nothing was tested."""
    if run.result is None:
        return ""
    words = f" · token accuracy <b>{run.result.token_accuracy:.3f}</b>"
    if run.result.alignment is not None:
        words += f" · gold alignment <b>{run.result.alignment:.3f}</b>"
    return words


def state_words(run: Run) -> str:
    """What a run is at."""
    if run.ended:
        return STATES[run.state]
    if run.background.stopping and run.lesson.stage == TRAINING:
        return "Stopping"
    if not run.lesson.parameters and run.background.state == "waiting":
        return "Waiting for the device"
    return run.lesson.stage[:1].upper() + run.lesson.stage[1:]


def _left(run: Run, step: int, steps: int) -> str:
    """Time left at the pace so far, the other run and waits for other people's turns included."""
    if run.background.stopping or step < 3 or step == steps:
        return ""
    seconds = (time.monotonic() - run.begun) / step * (steps - step)
    return f" · about {seconds:.0f} s left" if seconds < 90 else f" · about {seconds / 60:.0f} min left"
