"""Alignment over many pairs, as the models' cards tell it: each set of gold pairs, attention beside its rivals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from core.ui.alignment.models import OTHER, labels_of, shipped_for, told
from core.ui.words import note, notes, small_print

COLUMNS = ("", "attention", "best layer or head", "diagonal", "IBM model 1")
OVER = "Over many pairs: alignment error rate, lower is better"
OWN_PAIRS = "pairs of our own"
RIVALS = {"diagonal": "the diagonal", "ibm1": "IBM model 1"}
CAPTION = (
    "Worked out when the models were trained. Attention is the mean over all layers and heads. Best layer or head: the "
    "layer (mean of its heads) or head with the lowest error by either reading of the rows, picked on the same pairs, "
    "so it flatters. It can be worse than the mean over all layers, which is no single layer; – where there is only "
    "one attention. The diagonal links words by their place alone. IBM model 1 learns from the training pairs which "
    "words go together, without a network."
)
DAMAGED = "{labels}: the alignment in training.json cannot be read, so it is left out here."


@dataclass(frozen=True)
class CardScores:
    """Error rates of one model on a set of pairs. best: of the best single layer or head, and which that is."""

    attention: float
    best: str
    rivals: dict[str, float]

    def loses_to(self, rival: str) -> bool:
        """Whether its error is higher than the rival's, in the decimals that the table has."""
        return round(self.attention, 2) > round(self.rivals.get(rival, math.inf), 2)

    @property
    def cells(self) -> list[str]:
        """What stands in the table."""
        return [share(self.attention), self.best, *(share(self.rivals.get(rival)) for rival in RIVALS)]


Sets = dict[str, dict[str, CardScores]]


def scores_of_cards(direction: str) -> None:
    """A table for each set of pairs, and a sentence under it on the models whose attention loses there."""
    if direction == OTHER:
        return
    names = sorted(each.name for each in shipped_for(direction))
    sets, damaged = sets_of({label: told(name).get("alignment") for name, label in labels_of(names).items()})
    if sets:
        small_print(OVER, "group")
    for number, (title, scores) in enumerate(sets.items()):
        small_print(title, "set")
        table(COLUMNS, ((label, each.cells) for label, each in scores.items()))
        lost = losses(scores)
        notes([(lost, "warning")] if lost else [], key=f"card_notes_{number}")
    if damaged:
        note(DAMAGED.format(labels=", ".join(damaged)), "warning")
    if sets:
        small_print(CAPTION, "caption")


def sets_of(alignments: Mapping[str, Any]) -> tuple[Sets, list[str]]:
    """Scores by the titles of the sets and the models' labels, our own pairs first; labels of what cannot be read.

    alignments: what training.json has of each model, None where it has nothing.
    """
    found: Sets = {}
    damaged = []
    for label, alignment in alignments.items():
        try:
            sets = {} if alignment is None else _sets_of_card(alignment)
        except (LookupError, TypeError, ValueError, AttributeError):
            damaged.append(label)
            continue
        for title, scores in sets.items():
            found.setdefault(title, {})[label] = scores
    return dict(sorted(found.items(), key=lambda each: OWN_PAIRS not in each[0])), damaged


def losses(scores: Mapping[str, CardScores]) -> str:
    """A sentence on the models whose attention has a higher error than what looks less, "" where none has."""
    lost = {words: [label for label, own in scores.items() if own.loses_to(rival)] for rival, words in RIVALS.items()}
    parts = [
        f"to {words}{'' if len(labels) == len(scores) else ' (' + '; '.join(labels) + ')'}"
        for words, labels in lost.items()
        if labels
    ]
    return f"Attention loses here {', and '.join(parts)}." if parts else ""


def _sets_of_card(alignment: Mapping[str, Any]) -> dict[str, CardScores]:
    own = {f"{int(alignment['pairs']):,} {OWN_PAIRS}": _scores(alignment)}
    others = (alignment.get("others") or {}).items()
    return own | {f"{int(each['pairs']):,} {title}": _scores(each) for title, each in others}


def _scores(told_: Mapping[str, Any]) -> CardScores:
    own = float(told_["attention"]["error"])
    rivals = {rival: float(told_[rival]["error"]) for rival in RIVALS if told_.get(rival) is not None}
    if not (best := told_.get("best")):
        return CardScores(own, "–", rivals)
    error, layer, head = float(best["error"]), int(best["layer"]), best["head"]
    if head is None and error == own:
        # There is one attention, and nothing to pick from.
        return CardScores(own, "–", rivals)
    of_head = "" if head is None else f", head {int(head)}"
    reads = ", with input" if best.get("reads") == "input" else ""
    return CardScores(own, f"{share(error)} (layer {layer}{of_head}{reads})", rivals)


def table(columns: Sequence[str], rows: Iterable[tuple[str, list[str]]]) -> None:
    """Draw numbers in columns, a model a row."""
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f'<td class="number">{escape(cell)}</td>' for cell in each)
        + "</tr>"
        for label, each in rows
    )
    st.html(f'<table class="headlight-results"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


def share(value: float | None) -> str:
    """A share with two decimals."""
    return "–" if value is None or math.isnan(value) else f"{value:.2f}"
