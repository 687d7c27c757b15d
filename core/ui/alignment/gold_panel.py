"""How the attention scores as an alignment: on this sentence, and on the gold pairs of the models' cards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from core.ui.alignment.gold_choice import PAIR, pairs_of, take_pair
from core.ui.alignment.judging import Gold
from core.ui.alignment.models import OTHER, labels_of, shipped_for, told
from core.ui.alignment.panels import Aligned
from core.ui.alignment.state import GOLD
from core.ui.alignment.wish import Wish
from core.ui.words import notes, small_print

COLUMNS = ("", "precision", "recall", "AER", "diagonal's AER")
OF_CARDS = ("", "attention", "best head", "diagonal", "IBM model 1")
CAPTION = (
    "Each word of the translation is linked to the source word with its largest weight. Precision: share of these "
    "links that are gold; recall: share of the sure gold links that are found; AER: alignment error rate, 0 is best. "
    "The diagonal links words by their place alone and looks at no word."
)
CAPTION_OF_CARDS = (
    "Alignment error rates over {pairs} gold sentence pairs, worked out when the models were trained. Attention is the "
    "mean over layers and heads; IBM model 1 learns from the training pairs which words go together, without a network."
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
        _cards(wish.direction)


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
        st.html(_table(COLUMNS, map(_row, judged)))
    lost = losing(judged)
    notes(([(lost, "warning")] if lost else []) + _problems(aligned), key="gold_notes")
    if judged:
        small_print(CAPTION, "caption")


def losing(judged: Sequence[Aligned]) -> str:
    """A sentence on the models whose attention is worse than links by place alone; "" where there is none."""
    verdicts = [(each.panel.label, each.verdict.judged) for each in judged if each.verdict]
    beaten = [
        f"{label} (AER {_share(found.attention.error)} against {_share(found.diagonal.error)})"
        for label, found in verdicts
        if found is not None and found.is_beaten
    ]
    if not beaten:
        return ""
    return f"Attention loses to the diagonal on this sentence: {' and '.join(beaten)}. {LOST}"


def _problems(aligned: Sequence[Aligned]) -> list[tuple[str, str]]:
    """Why models are not judged; those with the same reason in one sentence."""
    by_reason: dict[str, list[str]] = {}
    for each in aligned:
        if each.verdict is not None and each.verdict.problem:
            by_reason.setdefault(each.verdict.problem, []).append(each.panel.label)
    return [
        (reason if len(labels) == len(aligned) or len(by_reason) == 1 else f"{', '.join(labels)}: {reason}", "info")
        for reason, labels in by_reason.items()
    ]


def _row(each: Aligned) -> tuple[str, list[str]]:
    verdict = each.verdict.judged if each.verdict else None
    assert verdict is not None
    score = verdict.attention
    shares = [score.precision, score.recall, score.error, verdict.diagonal.error]
    return each.panel.label, [_share(share) for share in shares]


def _cards(direction: str) -> None:
    """What the cards of the direction's models tell of many pairs."""
    if direction == OTHER:
        return
    names = sorted(each.name for each in shipped_for(direction))
    labels = labels_of(names)
    found = {name: told(name)["alignment"] for name in names if told(name).get("alignment")}
    if not found:
        return
    small_print("Over many pairs", "group")
    st.html(_table(OF_CARDS, ((labels[name], _of_card(score)) for name, score in found.items())))
    pairs = " or ".join(dict.fromkeys(f"{score['pairs']:,}" for score in found.values()))
    small_print(CAPTION_OF_CARDS.format(pairs=pairs), "caption")


def _of_card(score: Mapping[str, Any]) -> list[str]:
    best = score.get("best") or {}
    where = f" ({best['layer']}.{best['head']})" if best.get("head") is not None else ""
    return [
        _share(score["attention"]["error"]),
        f"{_share(best['error'])}{where}" if "error" in best else "–",
        *(_share((score.get(name) or {}).get("error")) for name in ("diagonal", "ibm1")),
    ]


def _table(columns: Sequence[str], rows: Iterable[tuple[str, list[str]]]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f'<td class="number">{escape(cell)}</td>' for cell in cells)
        + "</tr>"
        for label, cells in rows
    )
    return f'<table class="headlight-results"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _share(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.2f}"
