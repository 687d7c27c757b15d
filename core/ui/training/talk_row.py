"""What talk mode has instead of the sidebar: the tasks on the number keys, and the Train button."""

from __future__ import annotations

import streamlit as st

from core.training.tasks import TASKS
from core.ui.training.controls import train_button
from core.ui.training.plan import Plan, fill, key_of


def talk_row(plan: Plan) -> None:
    """The tasks as buttons with the number keys, and Train on the key S."""
    with st.container(horizontal=True, key="talk_examples"):
        for number, task in enumerate(TASKS.values(), start=1):
            st.button(
                task.title,
                shortcut=str(number),
                type="primary" if task.name == plan.task else "secondary",
                on_click=_choose,
                args=(task.name,),
                key=f"task_{number}",
            )
        train_button(plan, "talk")


def _choose(task: str) -> None:
    st.session_state[key_of("task")] = task
    fill()
