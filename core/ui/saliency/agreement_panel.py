"""Agreement: every method against every other, the control, word by word, and head by head."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.ui import address, own_texts
from core.ui.card import figure_card
from core.ui.saliency.answering import Answers, ask_for, is_asked_for, worked_out
from core.ui.saliency.state import AGAINST, LEAVES_FOR, PICKED, STATISTIC
from core.ui.saliency.wish import Wish
from core.ui.words import note, small_print
from core.views import agreement_figure, control_figure, head_agreement_figure, scatter_figure

if TYPE_CHECKING:
    from core.saliency import Question, Scores

ATTENTION = "attention"
FIRST = ("gradient_norm", "input_x_gradient")
# Above this somebody has to say that it is worth it.
SECONDS_AT_ONCE = 8.0
STATISTICS = {"tau": "Kendall's tau", "rho": "Spearman's rho", "kappa": "Top words, beyond chance"}
NO_ATTENTION = "Choose the method “Attention weight” to see it beside a gradient."
TOO_FEW = "Agreement needs the scores of two methods: choose more methods in the sidebar."


def agreement_panel(question: Question, answers: Answers, wish: Wish) -> None:
    """What there is to see of the methods that are ready."""
    from core.agreement import baselines, matrix
    from core.saliency import METHODS

    scored = answers.scores
    if len(question.groups) < 2:
        note("One word has no order, so nothing can agree: type more words.", "info")
        return
    if len(scored) < 2:
        note(TOO_FEW, "info")
        return
    statistic = _statistic()
    drawn = [each.method for each in scored if METHODS[each.method].draws]
    again = {name: worked_out(question, wish, ("again", name), partial(_run_again, question, name)) for name in drawn}
    found = matrix([*scored, *baselines(question)], {name: each for name, each in again.items() if each is not None})
    figure_card(agreement_figure(found, scored, statistic), {}, {})
    attention = next((each for each in scored if each.method == ATTENTION), None)
    others = [each for each in scored if each is not attention]
    if attention is None:
        note(getattr(answers.ready.get(ATTENTION), "sentence", "") or NO_ATTENTION, "info")
        return
    against = _against(others)
    left, right = st.columns(2, gap="small")
    with left:
        _control(question, attention, against, wish)
    with right:
        _scatter(attention, against)
    _heads(question, against, wish)


def _run_again(question: Question, method: str, job: Any) -> Scores:
    from core.saliency import scores_of

    return scores_of(question, method, job, seed=1)


def _statistic() -> str:
    st.session_state.setdefault(STATISTIC, "tau")
    chosen = st.segmented_control(
        "Statistic",
        tuple(STATISTICS),
        format_func=STATISTICS.__getitem__,
        key=STATISTIC,
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    return str(chosen)


def _against(others: list[Scores]) -> Scores:
    titles = {each.method: each.title for each in others}
    first = next((name for name in FIRST if name in titles), next(iter(titles)))
    if st.session_state.get(AGAINST) not in titles:
        st.session_state[AGAINST] = first
    st.selectbox(
        "Attention weight beside",
        list(titles),
        format_func=titles.__getitem__,
        key=AGAINST,
        persist_state="session",
        width=300,
    )
    return next(each for each in others if each.method == st.session_state[AGAINST])


def _control(question: Question, attention: Scores, against: Scores, wish: Wish) -> None:
    if question.trace.streams not in (("pooling",), ("self",)):
        small_print("There is no control for the cross-attention of a translator.", "no-control")
        return
    from core.agreement.control import DRAWS, GRADIENTS
    from core.saliency import METHODS, estimate

    if against.method not in GRADIENTS:
        titles = ", ".join(METHODS[name].title for name in GRADIENTS)
        small_print(f"The control is for gradients: choose one of {titles}.", "no-control")
        return
    seconds, what = (DRAWS + 2) * estimate(question, [against.method]), f"control {against.method}"
    if seconds > SECONDS_AT_ONCE and not is_asked_for(wish.asked, what):
        st.button(
            f"Run the control, about {seconds:,.0f} s",
            icon=":material/shuffle:",
            on_click=partial(ask_for, wish.asked, what),
            key="saliency_control",
        )
        return
    found: Any = worked_out(
        question, wish, ("control", against.method), partial(_run_control, question, against.method)
    )
    if found is not None:
        figure_card(control_figure(found, attention, against), {}, {})
    small_print(_diagnosis_words(question), "of-diagnosis")


def _diagnosis_words(question: Question) -> str:
    """What may explain a low agreement."""
    from core.agreement.diagnosis import diagnosis

    found = diagnosis(question)
    words = [f"Largest weight {found.largest:.2f}", f"entropy {found.entropy:.2f} of an even spread's"]
    if not math.isnan(found.conicity):
        words.append(
            f"conicity {found.conicity:.2f}: near 1 the states are alike, and which one is weighted matters little"
        )
    return "; ".join(words) + "."


def _run_control(question: Question, method: str, job: Any) -> Any:
    from core.agreement.control import control

    return control(question, gradient_method=method, job=job)


def _scatter(attention: Scores, against: Scores) -> None:
    from core.agreement import agreement

    picked = st.session_state.get(PICKED)
    figure_card(scatter_figure(attention, against, agreement(attention, against), picked), {}, {})


def _heads(question: Question, against: Scores, wish: Wish) -> None:
    if not question.trace.streams or question.trace.heads() * question.trace.layers() < 2:
        return
    found: Any = worked_out(question, wish, ("heads", against.method), partial(_run_heads, question, against))
    if found is not None:
        figure_card(head_agreement_figure(found, against), {"select": partial(_open_head, wish, found.stream)}, {})
        small_print("Of so many heads some agree by chance; a click opens the head on the Attention page.", "of-heads")


def _run_heads(question: Question, against: Scores, job: Any) -> Any:
    from core.agreement import head_map

    return head_map(question, against)


def _open_head(wish: Wish, stream: str, value: Any) -> None:
    """The head on the Attention page, with the same text; its texts go by a number, so none comes into the address."""
    texts = {name: text for name, text in (("text", wish.asked.text), ("target", wish.asked.answer)) if text.strip()}
    st.session_state[LEAVES_FOR] = {
        "model": wish.asked.model,
        "layer": str(value["layer"]),
        "head": str(value["head"]),
        "stream": stream,
        own_texts.NUMBER: own_texts.number_of(texts),
    }


def leave_for_head() -> None:
    """Go to the head that was clicked, if one was; a callback cannot change the page."""
    parameters = st.session_state.pop(LEAVES_FOR, None)
    if parameters is not None:
        address.go("", parameters)
