"""Does it matter? What becomes of the answer without the words, and what becomes of the scores without the weights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.ui.card import figure_card
from core.ui.saliency.answering import Answers, ask_for, is_asked_for, worked_out
from core.ui.saliency.wish import Wish
from core.ui.words import note, small_print
from core.views import erasure_figure, sanity_figure

if TYPE_CHECKING:
    from core.saliency import Question

# Above this somebody has to say that it is worth it.
SECONDS_AT_ONCE = 8.0
LIGHTS = {"in": "info", "watch": "info", "out": "warning"}
SANITY = (
    "A method that shows what the model has learnt must change when the weights are drawn at random. One that does not "
    "describes the text."
)


def matter_panel(question: Question, answers: Answers, wish: Wish) -> None:
    """Erasure of the methods that are ready, and the sanity check on a click."""
    if len(question.groups) < 2:
        note("One word has no order, so there is nothing to take away in turn: type more words.", "info")
        return
    if not answers.scores:
        note("No method has scores yet: choose methods in the sidebar.", "info")
        return
    _erasure(question, answers, wish)
    _sanity(question, answers, wish)


def _erasure(question: Question, answers: Answers, wish: Wish) -> None:
    from core.agreement.erasure import erasure_cost

    scored = answers.scores
    names = tuple(each.method for each in scored)
    cost = erasure_cost(question, len(scored))
    if cost.seconds > SECONDS_AT_ONCE and not is_asked_for(wish.asked, "erasure"):
        st.button(
            f"Take words away, about {cost.seconds:,.0f} s",
            icon=":material/backspace:",
            on_click=partial(ask_for, wish.asked, "erasure"),
            key="saliency_erase",
        )
        return
    found: Any = worked_out(question, wish, ("erasure", names), partial(_run_erasure, question, scored))
    if found is not None:
        note(found.ood.sentence, LIGHTS[found.ood.level])
        figure_card(erasure_figure(found, scored), {}, {})


def _run_erasure(question: Question, scored: Any, job: Any) -> Any:
    from core.agreement.erasure import erasure

    return erasure(question, scored, job=job)


def _sanity(question: Question, answers: Answers, wish: Wish) -> None:
    from core.agreement.sanity import sanity_cost

    quick = [each for each in answers.scores if each.forwards <= 64]
    seconds = sum(sanity_cost(question, each.method).seconds for each in quick)
    if not is_asked_for(wish.asked, "sanity"):
        small_print(SANITY, "of-sanity")
        st.button(
            f"Check with random weights, about {max(1.0, seconds):,.0f} s",
            icon=":material/casino:",
            on_click=partial(ask_for, wish.asked, "sanity"),
            key="saliency_sanity",
        )
        return
    found: dict[str, Any] = {}
    for each in quick:
        result: Any = worked_out(question, wish, ("sanity", each.method), partial(_run_sanity, question, each.method))
        if result is not None:
            found[each.method] = result
    if found:
        figure_card(sanity_figure(found, quick), {}, {})


def _run_sanity(question: Question, method: str, job: Any) -> Any:
    from core.agreement.sanity import sanity

    return sanity(question, method, job)
