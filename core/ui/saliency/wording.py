"""Words of the page: its title, facts, notes, and where the numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.ui.saliency.offered import SECOND_TEXT
from core.ui.saliency.state import STOPPED
from core.ui.saliency.wish import Wish
from core.ui.words import literal

if TYPE_CHECKING:
    from core.saliency import Question

MOST_LETTERS = 60
HOW_TO = (
    "Each row is a method: compare along a row. Attention is a weight, not a reason; below the words stands what the "
    "methods' agreement is worth."
)


def shortened(label: str, most: int) -> str:
    """A label of so many letters at most."""
    return label if len(label) <= most else f"{label[: most - 1]}…"


def title_of(question: Question | None) -> str:
    """What is explained."""
    return (
        "Saliency"
        if question is None
        else literal(shortened(question.target.words[:1].upper() + question.target.words[1:], MOST_LETTERS))
    )


def facts_of(question: Question | None) -> list[tuple[str, str]]:
    """What was explained and how, each with what it means."""
    if question is None:
        return []
    count = len(question.groups)
    probability = question.target.probability
    facts = [
        (f"F = {question.value:.3g}", f"The explained number: the {question.scalar} of the target."),
        (f"{question.scalar}", "Which number of the answer is explained."),
        (
            f"{count} {question.by}{'' if count == 1 else 's'}",
            "Words or tokens that get a score; special tokens never do.",
        ),
    ]
    if probability is not None:
        facts.insert(
            0,
            (
                f"p = {probability:.3f}" if probability >= 0.0005 else "p < 0.001",
                "The probability that the model gives the target.",
            ),
        )
    return facts


def notes_of(question: Question | None) -> list[str]:
    """What a reader has to know."""
    if question is None:
        return []
    return [*question.notes, *filter(None, [question.blind])]


def hint_of(wish: Wish, question: Question | None) -> str:
    """How to read the page; of two texts also with what the first is compared."""
    if question is None or question.target.kind != "similarity":
        return HOW_TO
    return f"Compared with “{wish.asked.text_pair.strip() or SECOND_TEXT}” (Second text, in the sidebar). {HOW_TO}"


def provenance_of(question: Question) -> str:
    """Where the numbers come from."""
    model = question.model
    kind = str(model.dtype).removeprefix("torch.")
    report = model.report.remark
    return " · ".join(filter(None, [model.name, kind, model.device, f"baseline {question.baseline}", report]))


def is_stopped(wish: Wish) -> bool:
    """Whether somebody stopped the methods of this question."""
    return st.session_state.get(STOPPED) == wish.asked
