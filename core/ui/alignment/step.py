"""Which step of “Word by word” is open, so that the address can say it and an address can open it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.ui import remarks
from core.ui.address import take
from core.ui.alignment.looking import Looking
from core.ui.alignment.running import Outcome, Run
from core.ui.alignment.state import OPENED, STEP
from core.ui.arrival import Arrival

# More than any decoder writes.
LARGEST = 10**6


@dataclass(frozen=True)
class Step:
    """A step of one model's text.

    step      counted from 0
    model     whose text; "" for the one that is shown when somebody arrives
    said      ids of the text's tokens; None before it was seen
    opening   number of the arrival that asked for it: another arrival opens the figure anew
    """

    step: int
    model: str = ""
    said: tuple[int, ...] | None = None
    opening: int = 0

    def is_of(self, run: Run) -> bool:
        """Whether it is a step of this run's text."""
        return self.model in ("", run.reading.model) and self.said in (None, run.trace.said_ids)


def _arrive(arriving: Arrival) -> None:
    """Open the step that an address asks for; the first where it asks for none."""
    before = st.session_state.get(OPENED)
    step = arriving.number("step", 0, LARGEST, 0, "The step")
    opened = Step(step, opening=0 if before is None else before.opening + 1)
    st.session_state[OPENED] = st.session_state[STEP] = opened


def opened_at(run: Run) -> Step:
    """Where the figure of a run opens, and by which arrival; its first step unless an address asked for another."""
    opened: Step = st.session_state.get(OPENED) or Step(0)
    if not opened.is_of(run):
        return Step(0, opening=opened.opening)
    # From now on it is a step of this text: of another one, the figure opens at the beginning.
    seen = replace(opened, model=run.reading.model, said=run.trace.said_ids)
    st.session_state[OPENED] = seen
    return replace(seen, step=max(0, min(seen.step, len(run.trace.said_ids) - 1)))


def go_to_step(run: Run, value: Any) -> None:
    """Another step of a run was opened: {step}, from the browser, so it is believed only as far as there is one."""
    step = value.get("step") if isinstance(value, dict) else None
    if type(step) is int and 0 <= step < len(run.trace.said_ids):
        st.session_state[STEP] = Step(step, run.reading.model, run.trace.said_ids)


def step_address(outcomes: Sequence[Outcome], looking: Looking) -> dict[str, str]:
    """The parameter that opens the step again; {} at the first. Reads what an address asks for if somebody arrives."""
    if (arriving := take("alignment_step")) is not None:
        _arrive(arriving)
        remarks.keep(arriving.remarks)
    run = next((o.run for o in outcomes if o.model == looking.word and o.run is not None), None)
    at: Step | None = st.session_state.get(STEP)
    if run is None or at is None or not at.is_of(run):
        return {}
    step = min(at.step, len(run.trace.said_ids) - 1)
    return {"step": str(step)} if step > 0 else {}
