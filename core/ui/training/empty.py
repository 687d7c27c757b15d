"""The page before the first run: the task's example with its gold alignment, and what will happen. Needs no torch."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.training.comparisons import COMPARISONS
from core.training.recipe import Recipe
from core.training.tasks import TASKS, Pair, Task
from core.ui import talk
from core.ui.training.controls import expected
from core.ui.training.plan import Plan
from core.ui.words import small_print

GOLD = "Gold alignment: where the right answer comes from, known because of how the task is made."
READING = "Each row is a character that the network writes, each column one that it reads."
LEGEND = '<i class="sure"></i> gold link'
LEGEND_OF_POSSIBLE = '<i class="possible"></i> possible gold link: any of them is right'

Story = list[tuple[str, str]]


def show_empty(plan: Plan) -> None:
    """The example as a matrix of gold links, and beside it what there will be to see."""
    with st.container(key="figures"):
        left, right = st.columns([0.46, 0.54], gap="small")
    with left, st.container(border=True, key="gold_card"):
        show_gold(TASKS[plan.task])
    with right, st.container(border=True, key="story_card"):
        st.markdown("**What you will see**")
        st.html(_html(story_of(plan)))
        # Talk mode folds the sidebar, where this stands as well.
        if talk.talking():
            small_print(expected(plan), "caption")
        else:
            st.empty()


def show_next(plan: Plan, shown: str) -> None:
    """While runs are shown, what the Train button begins, if that is something else. shown: what is shown."""
    if shown in ("", plan.title):
        st.empty()
        return
    new = " · ".join(part for part in plan.title.split(" · ") if part not in shown.split(" · "))
    with st.popover(f"Next: {new}", icon=":material/visibility:", type="tertiary"):
        show_gold(TASKS[plan.task])
        st.html(_html(story_of(plan)))


def show_gold(task: Task) -> None:
    """A task's example with its gold alignment, drawn as in the film."""
    st.markdown(f"**{task.title}: the gold alignment of an example**")
    st.html(gold_matrix(task.shown))
    small_print(f"{GOLD} {READING}", "caption")


def gold_matrix(pair: Pair) -> str:
    """The gold links of a pair as an HTML table: sure ones outlined, the other possible ones dashed."""
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
    legend = LEGEND + (f" {LEGEND_OF_POSSIBLE}" if possible - sure else "")
    return (
        f'<p class="headlight-pair"><b>{escape(pair.source)}</b> → <b>{escape(pair.target)}</b></p>'
        f'<table class="headlight-gold" aria-label="{escape(words)}">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f'<p class="headlight-gold-legend">{legend}</p>'
    )


def story_of(plan: Plan) -> Story:
    """What will be seen, in a few steps with a title each."""
    recipes = [recipe for _, recipe in plan.runs]
    attend = [recipe.settings.attends for recipe in recipes] or [plan.architecture != "none"]
    task = TASKS[plan.task]
    last = "inputs longer than any that it was trained on" if task.unseen else "inputs that it has never seen"
    end = [
        ("Tested", f"In the end {'each' if plan.comparison else 'it'} must answer {last}."),
        ("Yours", "Open the network on the Attention page, or download it. Stop whenever you have seen enough."),
    ]
    return [*(_with_attention(plan, recipes, all(attend)) if any(attend) else _without()), *end]


def _with_attention(plan: Plan, recipes: list[Recipe], all_attend: bool) -> Story:
    who = f"The network ({recipes[0].settings.title}) starts" if recipes else "The network starts"
    if plan.comparison:
        who = f"Two networks ({' and '.join(COMPARISONS[plan.comparison].labels)}) start"
    aligned = "Attention moves onto the gold links, and the answers become right at about the same time"
    only = "" if all_attend else " The one without attention has no film: its curves show how far it gets."
    beside = " Both take each step together, over the same examples." if plan.comparison else ""
    return [
        ("Guessing", f"{who} from random weights: attention lies anywhere.{beside}"),
        ("Learning", f"Every few steps the film takes a picture of the attention on the example to the left.{only}"),
        ("Aligned", f"{aligned}{' where learning succeeds' if plan.comparison else ''}."),
    ]


def _without() -> Story:
    return [
        ("Guessing", "The network starts from random weights: it writes any characters."),
        ("Learning", "It reads the whole source into one vector and writes from that alone, so there is no film."),
        ("A bottleneck", "The curves show how far that goes: what does not fit into one vector is lost."),
    ]


def _html(story: Story) -> str:
    items = "".join(f"<li><b>{escape(title)}</b> {escape(text)}</li>" for title, text in story)
    return f'<ol class="headlight-story">{items}</ol>'


def _letter(character: str) -> str:
    return "␣" if character == " " else escape(character)
