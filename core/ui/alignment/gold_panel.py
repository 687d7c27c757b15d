"""How the attention scores as an alignment: on this sentence, beside links by place, and over many pairs."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.ui.alignment.card_scores import scores_of_cards, share, table
from core.ui.alignment.gold_choice import PAIR, pairs_of, take_pair
from core.ui.alignment.judging import Gold, words_of
from core.ui.alignment.panels import Aligned
from core.ui.alignment.state import GOLD
from core.ui.alignment.wish import Wish
from core.ui.words import notes, small_print

COLUMNS = ("", "precision", "recall", "AER", "diagonal's AER")
CAPTION = (
    "Each word of the translation is linked to the source word with its largest weight. Precision: share of these "
    "links that are gold; recall: share of the sure gold links that are found; AER: alignment error rate, 0 is best. "
    "The diagonal links words by their place alone and looks at no word."
)
INVITATION = "Gold links say which words belong together. {count} pairs come with Headlight; or paste your own links."
LOST = "Its weights do not tell which words belong together here."
NO_PAIRS = "Gold links say which words belong together: paste links in the sidebar, and each model is judged by them."


def gold_card(aligned: Sequence[Aligned], gold: Gold | None, wish: Wish) -> None:
    """The tables, and one sentence where attention loses to the diagonal."""
    with st.container(border=True, key="goldscores_card"):
        st.markdown("**Attention as an alignment**")
        if gold is None:
            _invite(wish.direction)
        else:
            _this_sentence(aligned)
            if gold.pair is None:
                _numbered_words(aligned, gold.first)
        scores_of_cards(wish.direction)


def _invite(direction: str) -> None:
    pairs = pairs_of(direction)
    if not pairs:
        small_print(NO_PAIRS, "caption")
        return
    small_print(INVITATION.format(count=len(pairs)), "caption")
    st.button("Judge a gold pair", icon=":material/rule:", on_click=_open_pair, args=(direction,), key="judge_pair")


def _open_pair(direction: str) -> None:
    st.session_state[GOLD] = PAIR
    take_pair(direction)


def _this_sentence(aligned: Sequence[Aligned]) -> None:
    judged = [each for each in aligned if each.verdict is not None and each.verdict.judged is not None]
    if judged:
        small_print("This sentence", "group")
        table(COLUMNS, map(_row, judged))
    lost = losing(judged)
    notes(([(lost, "warning")] if lost else []) + _problems(aligned), key="gold_notes")
    if judged:
        small_print(CAPTION, "caption")


def _numbered_words(aligned: Sequence[Aligned], first: int) -> None:
    """The words as pasted links count them; texts that are the same stand once."""
    traces = [each.outcome.run.trace for each in aligned if each.outcome.run is not None and each.verdict is not None]
    for words in dict.fromkeys(side for sides in zip(*map(words_of, traces), strict=True) for side in sides):
        small_print(" · ".join(f"{number} {word}" for number, word in enumerate(words, first)), "numbered")


def losing(judged: Sequence[Aligned]) -> str:
    """A sentence on the models whose attention is worse than links by place alone; "" where there is none."""
    verdicts = [(each.panel.label, each.verdict.judged) for each in judged if each.verdict]
    beaten = [
        f"{label} (AER {share(found.attention.error)} against {share(found.diagonal.error)})"
        for label, found in verdicts
        if found is not None and found.is_beaten
    ]
    if not beaten:
        return ""
    return f"Attention loses to the diagonal on this sentence: {' and '.join(beaten)}. {LOST}"


def _problems(aligned: Sequence[Aligned]) -> list[tuple[str, str]]:
    """Why models are not judged; those with the same reason in one sentence."""
    by_reason: dict[str, list[str]] = {}
    asked = sum(each.verdict is not None for each in aligned)
    for each in aligned:
        if each.verdict is not None and each.verdict.problem:
            by_reason.setdefault(each.verdict.problem, []).append(each.panel.label)
    return [
        (reason if len(labels) == asked else f"{', '.join(labels)}: {reason}", "info")
        for reason, labels in by_reason.items()
    ]


def _row(each: Aligned) -> tuple[str, list[str]]:
    verdict = each.verdict.judged if each.verdict else None
    assert verdict is not None
    score = verdict.attention
    values = [score.precision, score.recall, score.error, verdict.diagonal.error]
    return each.panel.label, [share(value) for value in values]
