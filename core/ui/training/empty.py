"""The page before the first run: the task's example with its gold alignment, and what will happen. Needs no torch."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.training.comparisons import COMPARISONS
from core.training.tasks import TASKS, Pair
from core.ui.training.controls import expected
from core.ui.training.plan import Plan
from core.ui.words import small_print

END = "</s>"


def show_empty(plan: Plan) -> None:
    """The example as a matrix of gold links, and beside it what there will be to see."""
    task = TASKS[plan.task]
    with st.container(key="figures"):
        left, right = st.columns([0.46, 0.54], gap="small")
    with left, st.container(border=True, key="gold_card"):
        st.markdown(f"**{task.title}: where attention should lie**")
        st.html(gold_matrix(task.shown))
        small_print(
            "Each row is a character that the network writes, each column one that it reads. Filled: the gold link; "
            "outlined: also right. The film will follow this example.",
            "caption",
        )
    with right, st.container(border=True, key="story_card"):
        st.markdown("**What you will see**")
        st.html(_story(plan))
        small_print(expected(plan), "caption")


def gold_matrix(pair: Pair) -> str:
    """The gold links of a pair as an HTML table: sure ones filled, the other possible ones outlined."""
    sure, possible = set(pair.sure), set(pair.possible)
    head = "".join(f'<th scope="col">{_letter(character)}</th>' for character in pair.source)
    rows = []
    for row, character in enumerate(pair.target):
        cells = (
            f'<td class="{"sure" if (row, col) in sure else "possible" if (row, col) in possible else ""}"></td>'
            for col in range(len(pair.source))
        )
        rows.append(f'<tr><th scope="row">{_letter(character)}</th>{"".join(cells)}</tr>')
    words = f"{pair.source} becomes {pair.target}; gold links: " + ", ".join(
        f"{pair.target[row]} from {pair.source[col]}" for row, col in pair.sure
    )
    return (
        f'<p class="headlight-pair"><b>{escape(pair.source)}</b> → <b>{escape(pair.target)}</b></p>'
        f'<table class="headlight-gold" aria-label="{escape(words)}">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _story(plan: Plan) -> str:
    task = TASKS[plan.task]
    who = f"The network ({plan.recipe.settings.title}) starts" if plan.recipe else "The network starts"
    if plan.comparison:
        who = f"Two networks ({' and '.join(COMPARISONS[plan.comparison].labels)}) start"
    last = "inputs longer than any that it was trained on" if task.unseen else "inputs that it has never seen"
    lines = [
        ("Guessing", f"{who} from random weights: attention lies anywhere."),
        ("Learning", "Every few steps the film takes a picture of the attention on the example to the left."),
        ("Aligned", "The weights move onto the gold links, and the answers become right at about the same time."),
        ("Tested", f"In the end it must answer {last}."),
        ("Yours", "Open the network on the Attention page, or download it. Stop whenever you have seen enough."),
    ]
    items = "".join(f"<li><b>{escape(title)}</b> {escape(text)}</li>" for title, text in lines)
    return f'<ol class="headlight-story">{items}</ol>'


def _letter(character: str) -> str:
    return "␣" if character == " " else escape(character)
