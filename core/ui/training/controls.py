"""The controls of the Training page: task, architecture, comparison, the Train button, and every setting and option."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.training.comparisons import COMPARISONS
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS
from core.ui import address, remarks
from core.ui.training.fields import ARCHITECTURE_HELP, NETWORK, OF_OPTIONS, PRACTICE, Field
from core.ui.training.inputs import NO_GPU, draw_fields, free_memory, has_gpu
from core.ui.training.plan import (
    NOTHING,
    Plan,
    arrive,
    fill,
    follow_architecture,
    follow_comparison,
    key_of,
    planned,
)
from core.ui.training.runs import going_on, pace
from core.ui.words import note, small_print

MOTTO = "Watch attention being learnt: a small network, from its first step to its last."
TITLES = {name: f"{words[:1].upper()}{words[1:]} (RNN)" for name, words in ARCHITECTURES.items()}
TITLES["transformer"] = ARCHITECTURES["transformer"]
COMPARED = {NOTHING: "Nothing: one run", **{name: comparison.title for name, comparison in COMPARISONS.items()}}
_PRESSED = "training_pressed"
# What a step takes on a GPU, as a share of what it takes on a core, until this session has measured one.
GPU_PACE = 0.1


def plan_of_page() -> Plan:
    """What the controls ask for, set to what an address asks for if somebody arrives by one; draws nothing."""
    arriving = address.take("training")
    if arriving is not None:
        arrive(arriving)
        if st.session_state[key_of("precision")] != "float32" and not has_gpu():
            st.session_state[key_of("precision")] = "float32"
            arriving.remarks.append(NO_GPU)
        remarks.keep(arriving.remarks)
    fill()
    return planned(free_memory(), pace() or (GPU_PACE if has_gpu() else 1.0))


def was_pressed() -> bool:
    """Whether the Train button was pressed, told once."""
    return bool(st.session_state.pop(_PRESSED, False))


def controls(plan: Plan) -> None:
    """Draw the controls into the sidebar."""
    with st.sidebar:
        small_print(MOTTO, "motto")
        st.pills(
            "Task",
            tuple(TASKS),
            format_func=lambda name: TASKS[name].title,
            key=key_of("task"),
            persist_state="session",
            required=True,
            on_change=fill,
        )
        small_print(TASKS[plan.task].summary, "task-summary")
        st.selectbox(
            "Architecture",
            tuple(ARCHITECTURES),
            format_func=TITLES.__getitem__,
            key=key_of("architecture"),
            persist_state="session",
            on_change=follow_architecture,
            help=ARCHITECTURE_HELP,
        )
        compare_menu()
        small_print(_comparison_words(plan), "comparison-summary")
        train_button(plan, "sidebar")
        small_print(expected(plan), "estimate")
        if plan.problem:
            note(plan.problem, "error")
        else:
            st.empty()
        with st.expander("Network", icon=":material/account_tree:"):
            own = [each for each in NETWORK if each.is_of(plan.architecture)]
            _say_fixed(plan, own)
            draw_fields(own, plan.fixed)
        with st.expander("Practice", icon=":material/tune:"):
            _say_fixed(plan, OF_OPTIONS)
            for title, fields in PRACTICE.items():
                small_print(title, "group")
                draw_fields([each for each in fields if each.is_of(plan.architecture)], plan.fixed)


def compare_menu() -> None:
    """The choice of a comparison, in the sidebar."""
    st.selectbox(
        "Compare",
        COMPARED,
        format_func=COMPARED.__getitem__,
        key=key_of("compare"),
        persist_state="session",
        on_change=follow_comparison,
        help="Two runs over the same examples, step by step beside each other, that differ in one thing.",
    )


def train_button(plan: Plan, place: str) -> None:
    """The button that begins; place: makes it another one where there are two."""
    busy = bool(going_on())
    st.button(
        "Training …" if busy else "Train",
        type="primary",
        icon=":material/play_arrow:",
        shortcut="Ctrl+Enter" if place == "sidebar" else "S",
        width="stretch" if place == "sidebar" else "content",
        disabled=busy or not plan.runs,
        on_click=_press,
        key=f"train_{place}",
    )


def expected(plan: Plan) -> str:
    """How long it may take, in words: by this session's own pace once there is one."""
    if not plan.runs:
        return ""
    both, measured = "Both runs together take" if len(plan.runs) > 1 else "Takes", pace()
    where = "at the pace of the latest run here" if measured else "on a laptop's processor"
    return f"{both} about {_rounded(plan.seconds * (measured or 1))} {where}."


def _rounded(seconds: float) -> str:
    if seconds < 55:
        return f"{max(5, 5 * round(seconds / 5))} seconds"
    minutes = round(seconds / 30) / 2
    return "a minute" if minutes == 1 else f"{minutes:g} minutes"


def _comparison_words(plan: Plan) -> str:
    """What a comparison shows."""
    return COMPARISONS[plan.comparison].summary if plan.comparison else ""


def _say_fixed(plan: Plan, fields: Sequence[Field]) -> None:
    """Why some fields cannot be changed; what follows would move up without the place."""
    if any(field.name in plan.fixed for field in fields):
        first, second = COMPARISONS[plan.comparison].labels
        small_print(f"Grey fields are set by the comparison: {first} / {second} where the two differ.", "fixed")
    else:
        st.empty()


def _press() -> None:
    st.session_state[_PRESSED] = True
