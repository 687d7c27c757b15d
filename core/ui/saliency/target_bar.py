"""What the model answers, and which of its answers is explained: one click away."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.ui.saliency.state import AT, FOIL, TARGET
from core.ui.saliency.wording import shortened
from core.ui.words import literal

if TYPE_CHECKING:
    from core.saliency import Question, Target

NOTHING = "nothing"
CONTRASTED = ("label", "choice", "token label", "masked word", "next token")
MOST_SHOWN = 40
MOST_LETTERS = 24
LABELS = {
    "label": "Explain the label",
    "token label": "Explain the label",
    "choice": "Explain the choice",
    "span": "Explain where the answer has its",
    "masked word": "Explain the word in the place of the mask",
    "next token": "Explain the next token",
    "output word": "Explain the word",
    "similarity": "Explain how alike the two texts are",
}

TOKENS = {"token label": "of the token", "span": "at the token", "masked word": "Masked token"}


def target_bar(question: Question) -> None:
    """The answers as pills, the explained one marked; for labels and tokens also what it is held against."""
    targets = _shown(question)
    names = {target.index: named(target) for target in targets}
    # The pills of another answer are others.
    key = f"saliency_pills_of_{hash((question.model.name, question.tokens.ids, question.target.index, tuple(names)))}"
    if key not in st.session_state:
        st.session_state[key] = question.target.index
    with st.container(horizontal=True, vertical_alignment="top", key="target_bar"):
        st.pills(
            LABELS[question.target.kind],
            list(names),
            format_func=lambda index: literal(names[index]),
            key=key,
            on_change=partial(_choose, key, question.target.index),
            required=True,
        )
        if question.kind.of_one_token:
            _of_token(question)
        if question.target.kind in CONTRASTED and len(targets) > 2:
            _against(question, targets)
        else:
            st.empty()


def named(target: Target) -> str:
    """A target with its probability, or its number, as a menu shows it."""
    if target.number is not None:
        return f"{shortened(target.label, MOST_LETTERS)} · {target.number:.4g}"
    if target.probability is None:
        return shortened(target.label, 2 * MOST_LETTERS)
    return f"{shortened(target.label, MOST_LETTERS)} · {_percent(target.probability)}"


def _shown(question: Question) -> tuple[Target, ...]:
    first = question.targets[:MOST_SHOWN]
    return first if any(each.index == question.target.index for each in first) else (*first, question.target)


def _of_token(question: Question) -> None:
    """Which token is asked about, of those that are no special ones."""
    tokens, now = question.tokens, question.target.place
    places = [place for place, special in enumerate(tokens.special) if not special or place == now]
    names = {place: tokens.labels[place] for place in places}
    key = f"saliency_token_of_{hash((question.model.name, tokens.ids, now, question.target.index))}"
    if key not in st.session_state:
        st.session_state[key] = now
    st.selectbox(
        TOKENS[question.target.kind],
        places,
        format_func=lambda place: f"{shortened(names[place], MOST_LETTERS)} · {place}",
        key=key,
        on_change=partial(_ask_of, key, question.target.index if question.target.kind == "span" else None),
        width=240,
    )


def _against(question: Question, targets: tuple[Target, ...]) -> None:
    foil = question.target.foil
    options = {NOTHING: _nothing(question)}
    options |= {str(each.index): named(each) for each in targets if each.index != question.target.index}
    now = NOTHING if foil is None else str(foil.index)
    key = f"saliency_foil_of_{hash((question.model.name, question.tokens.ids, question.target.index, now))}"
    if key not in st.session_state:
        st.session_state[key] = now if now in options else NOTHING
    st.selectbox(
        "Against",
        list(options),
        format_func=options.__getitem__,
        key=key,
        on_change=partial(_hold, key, question.target.index),
        width=240,
    )


def _nothing(question: Question) -> str:
    """What a target is held against where no other is chosen."""
    if question.scalar != "margin" or question.function != "softmax":
        return "nothing"
    return "the others" if question.kind.names or question.target.kind == "choice" else "the mean of all tokens"


def _choose(key: str, before: int) -> None:
    chosen = st.session_state[key]
    if chosen is not None and chosen != before:
        st.session_state[TARGET], st.session_state[FOIL] = chosen, None


def _ask_of(key: str, target: int | None) -> None:
    """Another token has likely labels and words of its own; of a span the same end is meant."""
    st.session_state[AT], st.session_state[TARGET], st.session_state[FOIL] = st.session_state[key], target, None


def _hold(key: str, target: int) -> None:
    """A contrast is of two that are both named, also where the first was the model's own choice."""
    chosen = st.session_state[key]
    st.session_state[TARGET], st.session_state[FOIL] = target, None if chosen == NOTHING else int(chosen)


def _percent(share: float) -> str:
    return "<0.1 %" if share < 0.001 else f"{share:.1%}".replace("%", " %")
