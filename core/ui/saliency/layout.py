"""The page below its title: the answer, the words under every method, and one of four panels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.ui.card import figure_card
from core.ui.saliency.agreement_panel import agreement_panel
from core.ui.saliency.answering import Answers, allow, in_order
from core.ui.saliency.cost_panel import cost_panel, guide_panel
from core.ui.saliency.matter_panel import matter_panel
from core.ui.saliency.offered import AT_FIRST
from core.ui.saliency.state import PICKED, VIEW
from core.ui.saliency.target_bar import target_bar
from core.ui.saliency.wish import VIEWS, Wish
from core.ui.saliency.wording import is_stopped
from core.ui.words import small_print
from core.views import rows_of, words_figure

if TYPE_CHECKING:
    from core.saliency import Question


def show(question: Question, answers: Answers, wish: Wish) -> None:
    """Draw everything that is ready."""
    target_bar(question)
    # Before anybody has chosen, a method that does not apply to this model takes no row: a line says why.
    unasked = _refused(answers) if wish.methods == AT_FIRST else frozenset()
    shown = [name for name in in_order(wish.methods) if name not in answers.heavy and name not in unasked]
    if shown:
        rows = rows_of(question, shown, answers.ready, _picked(question))
        figure_card(words_figure(rows), {"pick": partial(_pick, len(question.groups))}, {})
    _without_a_row(answers, in_order(tuple(unasked)))
    _heavy(answers, wish)
    st.segmented_control(
        "Below the words",
        tuple(VIEWS),
        format_func=VIEWS.__getitem__,
        key=VIEW,
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    # What compares methods waits for all of them: it would be drawn anew with each.
    if wish.view == "guide":
        guide_panel()
    elif answers.pending and not is_stopped(wish):
        st.empty()
    elif wish.view == "agreement":
        agreement_panel(question, answers, wish)
    elif wish.view == "matter":
        matter_panel(question, answers, wish)
    else:
        cost_panel(answers)


def _refused(answers: Answers) -> frozenset[str]:
    return frozenset(name for name, found in answers.ready.items() if hasattr(found, "sentence"))


def _without_a_row(answers: Answers, names: Sequence[str]) -> None:
    """Why methods that are chosen at first are not among the rows, in small print."""
    if not names:
        st.empty()
        return
    from core.saliency import METHODS

    small_print(" ".join(f"{METHODS[name].title}: {answers.ready[name].sentence}" for name in names), "without-a-row")


def _heavy(answers: Answers, wish: Wish) -> None:
    if not answers.heavy:
        st.empty()
        return
    from core.saliency import METHODS

    titles = ", ".join(METHODS[name].title for name in answers.heavy)
    st.button(
        f"Run {titles}: about {sum(answers.heavy.values()):,.0f} s",
        icon=":material/hourglass_top:",
        on_click=partial(allow, wish.asked, tuple(answers.heavy)),
        key="saliency_heavy",
    )


def _picked(question: Question) -> int | None:
    picked = st.session_state.get(PICKED)
    return picked if picked is not None and picked < len(question.groups) else None


def _pick(count: int, value: Any) -> None:
    """A word was clicked: {group}, None to take the mark back; what a browser says is believed within bounds."""
    group = value.get("group") if isinstance(value, dict) else None
    st.session_state[PICKED] = group if type(group) is int and 0 <= group < count else None
