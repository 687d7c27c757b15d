"""The controls of the Training page: task, architecture, comparison, the Train button, and every setting and option."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.training.comparisons import COMPARISONS
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS
from core.ui import address, remarks
from core.ui.training.fields import NETWORK, PRACTICE, Choice, Field, Real, Switch, Whole
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
from core.ui.training.runs import going_on
from core.ui.words import note, small_print

MOTTO = "Watch attention being learnt: a small network, from its first step to its last."
TITLES = {name: f"{words[:1].upper()}{words[1:]} (RNN)" for name, words in ARCHITECTURES.items()}
TITLES["transformer"] = ARCHITECTURES["transformer"]
_PRESSED = "training_pressed"
NO_GPU = "16 bits need a GPU, and this server has none: training computes in float32 here."


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
    return planned()


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
        )
        st.selectbox(
            "Compare",
            (NOTHING, *COMPARISONS),
            format_func=lambda name: COMPARISONS[name].title if name in COMPARISONS else "Nothing: one run",
            key=key_of("compare"),
            persist_state="session",
            on_change=follow_comparison,
        )
        small_print(_comparison_words(plan), "comparison-summary")
        train_button(plan, "sidebar")
        small_print(expected(plan), "estimate")
        if plan.problem:
            note(plan.problem, "error")
        else:
            st.empty()
        with st.expander("Network", icon=":material/account_tree:"):
            _draw([each for each in NETWORK if each.is_of(plan.architecture)])
        with st.expander("Practice", icon=":material/tune:"):
            for title, fields in PRACTICE.items():
                small_print(title, "group")
                _draw(fields)


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
    """How long it may take, in words."""
    if not plan.runs:
        return ""
    both = "Both runs together take" if len(plan.runs) > 1 else "Takes"
    return f"{both} about {_rounded(plan.seconds)} on a laptop's processor."


def _rounded(seconds: float) -> str:
    if seconds < 55:
        return f"{max(5, 5 * round(seconds / 5))} seconds"
    minutes = round(seconds / 30) / 2
    return "a minute" if minutes == 1 else f"{minutes:g} minutes"


def _comparison_words(plan: Plan) -> str:
    """What a comparison shows, and in what its two recipes differ from what is set below."""
    if not plan.comparison:
        return ""
    return COMPARISONS[plan.comparison].summary


def _press() -> None:
    st.session_state[_PRESSED] = True


def _draw(fields: Sequence[Field]) -> None:
    """Numbers two in a row, the others each in a row of its own."""
    waiting: list[Field] = []
    for field in fields:
        if isinstance(field, Whole | Real):
            waiting.append(field)
            continue
        _draw_numbers(waiting)
        waiting = []
        _draw_one(field)
    _draw_numbers(waiting)


def _draw_numbers(fields: Sequence[Field]) -> None:
    for start in range(0, len(fields), 2):
        for column, field in zip(st.columns(2, vertical_alignment="bottom"), fields[start : start + 2], strict=False):
            with column:
                _draw_one(field)


def _draw_one(field: Field) -> None:
    key = key_of(field.name)
    if isinstance(field, Switch):
        st.toggle(field.label, key=key, persist_state="session", help=field.help)
    elif isinstance(field, Whole):
        st.number_input(
            field.label, field.low, field.high, step=field.step, key=key, persist_state="session", help=field.help
        )
    elif isinstance(field, Real):
        st.number_input(
            field.label,
            field.low,
            field.high,
            step=field.step,
            format="%g",
            key=key,
            persist_state="session",
            help=field.help,
        )
    elif isinstance(field, Choice):
        _draw_choice(field, key)


def _draw_choice(field: Choice, key: str) -> None:
    cannot = field.name == "precision" and not has_gpu()
    names, words = tuple(field.options), field.options.__getitem__
    if field.short:
        st.segmented_control(
            field.label, names, format_func=words, key=key, persist_state="session", required=True, help=field.help,
            width="stretch",
        )  # fmt: skip
    else:
        st.selectbox(
            field.label, names, format_func=words, key=key, persist_state="session", help=field.help, disabled=cannot
        )
    if cannot:
        small_print(NO_GPU, "no-gpu")


def has_gpu() -> bool:
    """Whether 16 bits can be trained here; asks torch only once something else has imported it."""
    if (torch := sys.modules.get("torch")) is not None and hasattr(torch, "cuda"):
        return bool(torch.cuda.is_available())
    return Path("/proc/driver/nvidia/version").exists()
