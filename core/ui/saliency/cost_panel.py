"""What each method cost and what it was checked by, and a short guide to reading the page."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.ui.saliency.answering import Answers
from core.ui.words import note, small_print

COLUMNS = ("Method", "Forwards", "Backwards", "Seconds", "Sum of scores", "Off by", "Checked", "Note")
GUIDE = (
    (
        "What attention weight says",
        "How much a hidden state is mixed into another. After the first layer a state holds the whole text, so a "
        "weight on a word's place is none on the word, and it belongs to no output: every answer has the same weights.",
    ),
    (
        "What a gradient says",
        "How a small change of a word's embedding would change the chosen answer. It is true of small changes only, "
        "and depends on the number that is explained and on how a vector becomes a number: captions name both.",
    ),
    (
        "What agreement says",
        "That two methods order the words alike, not that either is right: both may follow the place of a word or how "
        "rare it is, so those stand in the matrix. With few words chance agrees too: cells in its band are hatched.",
    ),
    (
        "Why there is a control",
        "Where a text is summed by its weights, a weight is a factor of the gradient. Permuted attention, which means "
        "nothing, then agrees with its gradient as well; only what the model's own attention has beyond it counts.",
    ),
    (
        "What erasure says",
        "What this model does without the words, in this way of hiding them. A method is better than chance where its "
        "curve leaves the band of random orders. A text with holes may be unlike anything in training: see the light.",
    ),
    (
        "What none of it says",
        "Why the model answered as it did. Recent methods disagree with each other on Transformers too (Neely and "
        "others 2021), so no row is the truth; a row that survives random weights describes the text, not the model.",
    ),
)


def cost_panel(answers: Answers) -> None:
    """A line for each method that is ready."""
    scored = answers.scores
    if not scored:
        note("No method has scores yet: choose methods in the sidebar.", "info")
        return
    rows = [
        {
            "Method": each.title,
            "Forwards": each.forwards,
            "Backwards": each.backwards,
            "Seconds": each.seconds,
            "Sum of scores": f"{each.values.sum() + each.rest:.4g}" if each.additive else "",
            "Off by": "" if each.completeness_delta is None else f"{each.completeness_delta:.1e}",
            "Checked": "; ".join(each.checks),
            "Note": each.note,
        }
        for each in scored
    ]
    config = {
        "Seconds": st.column_config.NumberColumn(format="%.3f"),
        "Checked": st.column_config.TextColumn(width="medium"),
        "Note": st.column_config.TextColumn(width="large"),
    }
    with st.container(border=True, key="saliency_cost"):
        st.dataframe(pd.DataFrame(rows, columns=list(COLUMNS)), hide_index=True, column_config=config, width="stretch")
        small_print(
            "A forward or backward is one text through the model. Attention methods share one forward, and one backward"
            " that finds the rows which the answer is read from. Sums hold for additive methods, with special "
            "tokens, biases and the baseline's answer.",
            "of-cost",
        )


def guide_panel() -> None:
    """What each number can and cannot show."""
    left, right = st.columns(2, gap="small")
    for place, (title, words) in enumerate(GUIDE):
        with (left, right)[place % 2], st.container(border=True, key=f"saliency_guide_{place}"):
            st.markdown(f"**{title}**")
            small_print(words, "of-guide")
