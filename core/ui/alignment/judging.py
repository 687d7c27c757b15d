"""Attention beside gold links: which words they link, and what each model's weights score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.ui.alignment.gold_choice import PASTED, gold_pair
from core.ui.alignment.state import COUNTED_FROM, GOLD, LINKS

if TYPE_CHECKING:
    from core.alignment import GoldPair, Judged, Link
    from core.capture import Trace, WordWeights

Place = tuple[int | None, int | None]
OTHER_WORDS = (
    "It wrote other words than the gold translation, so its links are not judged: choose forced decoding to judge them."
)
NO_LINKS = "Paste links such as 0-0 1-2 to judge the attention by them."


@dataclass(frozen=True)
class Gold:
    """pair: one of ours; text: pasted links, whose words are counted from `first`. One of the two is there."""

    pair: GoldPair | None = None
    text: str = ""
    first: int = 0


@dataclass(frozen=True)
class Verdict:
    """words: the weights by the words of the gold links. problem: why nothing is judged, "" where something is."""

    words: WordWeights
    judged: Judged | None = None
    sure: frozenset[Link] = frozenset()
    possible: frozenset[Link] = frozenset()
    problem: str = ""


def gold_of_page(direction: str) -> Gold | None:
    """The gold links that are chosen, if any are."""
    state = st.session_state
    if (pair := gold_pair(direction)) is not None:
        return Gold(pair)
    if state[GOLD] == PASTED:
        return Gold(text=str(state.get(LINKS, "")).strip(), first=int(state.get(COUNTED_FROM) or 0))
    return None


def verdict_on(trace: Trace, place: Place, reads: str, gold: Gold | None) -> Verdict:
    """One model's weights by words, and what they score. place: layer and head, None for the mean over all."""
    from core.alignment import judge
    from core.capture import word_weights

    if gold is not None and gold.pair is not None:
        pair = gold.pair
        try:
            same = word_weights(trace, *place, reads, source_words=pair.source, target_words=pair.target)
        except HeadlightError:
            return Verdict(word_weights(trace, *place, reads), problem=OTHER_WORDS)
        sure, possible = frozenset(pair.sure), frozenset(pair.possible)
        return Verdict(same, judge(same, sure, possible), sure, possible)
    if gold is None:
        return Verdict(word_weights(trace, *place, reads))
    return _by_pasted(trace, place, reads, gold)


def _by_pasted(trace: Trace, place: Place, reads: str, gold: Gold) -> Verdict:
    """The same by pasted links. They count words as a person does: so the rows and columns are these words, always."""
    from core.alignment import judge, parse_links
    from core.capture import word_weights

    source, target = words_of(trace)
    words = word_weights(trace, *place, reads, source_words=source, target_words=target)
    if not gold.text:
        return Verdict(words, problem=NO_LINKS)
    try:
        sure, possible = map(frozenset, parse_links(gold.text, source, target, gold.first))
        return Verdict(words, judge(words, sure, possible), sure, possible)
    except HeadlightError as error:
        return Verdict(words, problem=str(error))


def words_of(trace: Trace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of sentence and translation as pasted links count them."""
    from core.alignment import split_words

    return split_words(trace.tokens.text), split_words("" if trace.produced is None else trace.produced.text)
