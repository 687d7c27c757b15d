"""What talk mode has instead of the sidebar: tasks on the number keys, the comparison, and the Train button."""

from __future__ import annotations

import streamlit as st

from core.training.tasks import TASKS
from core.ui.training.controls import COMPARED, train_button
from core.ui.training.plan import Plan, fill, follow_comparison, key_of

COMPARE = "training_talk_compare"


def talk_row(plan: Plan) -> None:
    """The tasks as buttons with the number keys, the comparison, and Train on the key S."""
    # The menu of the sidebar has the value.
    st.session_state[COMPARE] = st.session_state[key_of("compare")]
    with st.container(horizontal=True, vertical_alignment="center", key="talk_examples"):
        for number, task in enumerate(TASKS.values(), start=1):
            st.button(
                task.title,
                shortcut=str(number),
                type="primary" if task.name == plan.task else "secondary",
                on_click=_choose,
                args=(task.name,),
                key=f"task_{number}",
            )
        st.selectbox(
            "Compare",
            COMPARED,
            format_func=COMPARED.__getitem__,
            key=COMPARE,
            on_change=_compare,
            label_visibility="collapsed",
            width=260,
        )
        train_button(plan, "talk")


def _choose(task: str) -> None:
    st.session_state[key_of("task")] = task
    fill()


def _compare() -> None:
    st.session_state[key_of("compare")] = st.session_state[COMPARE]
    follow_comparison()
