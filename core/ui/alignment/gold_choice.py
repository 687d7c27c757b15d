"""Gold links: none, those of a pair of our own with its two sentences, or pasted ones."""

from __future__ import annotations

import streamlit as st

from core.alignment import GOLD as PAIRS
from core.alignment import GoldPair
from core.ui.alignment.state import COUNTED_FROM, DECODING, GOLD, LINKS, PAIR_NUMBER, TARGET, TEXT
from core.ui.arrival import Arrival
from core.ui.words import small_print

NO_GOLD, PAIR, PASTED = "none", "pair", "pasted"
WAYS = {NO_GOLD: "None", PAIR: "Our pairs", PASTED: "Pasted"}
PAIR_SAID = "The models are made to say this translation, so that its links can be judged."
PAIR_NOT_SAID = "The models write by themselves: only a text with the words of this pair's translation is judged."
LINKS_HELP = (
    "Pharaoh format: 0-0 1p2 links word 0 of the sentence with word 0 of the translation, and word 1 with word 2 as "
    "only possible. The words are those of the figure, the full stop among them."
)
PLACEHOLDER = "0-0 1-2 2-1 3p3"


def pairs_of(direction: str) -> tuple[GoldPair, ...]:
    """The gold pairs of a direction."""
    return PAIRS.get(direction, ())


def gold_pair(direction: str) -> GoldPair | None:
    """The pair that is chosen, with its links; None where none is."""
    pairs, number = pairs_of(direction), int(st.session_state.get(PAIR_NUMBER, 1))
    chosen = st.session_state.get(GOLD) == PAIR and 1 <= number <= len(pairs)
    return pairs[number - 1] if chosen else None


def pair_of(direction: str) -> tuple[str, str] | None:
    """Sentence and translation of the pair that is chosen."""
    pair = gold_pair(direction)
    return None if pair is None else (pair.source_text, pair.target_text)


def leave_pair() -> None:
    """The texts are no longer those of a pair."""
    if st.session_state.get(GOLD) == PAIR:
        st.session_state[GOLD] = NO_GOLD


def arrive_at_gold(arriving: Arrival, direction: str) -> None:
    """Set the controls to what an address asks for; a pair brings its sentence and its translation."""
    state, pairs = st.session_state, pairs_of(direction)
    ways = tuple(way for way in WAYS if way != PAIR or pairs)
    state[GOLD] = arriving.choice("gold", ways, NO_GOLD, "way with gold links")
    state[PAIR_NUMBER] = arriving.number("pair", 1, max(1, len(pairs)), 1, "The number of the pair")
    state[COUNTED_FROM] = int(arriving.choice("from", ("0", "1"), "0", "number to count words from"))
    take_pair(direction)


def gold_address() -> dict[str, str]:
    """The parameters that ask for the same; pasted links are a text of the reader's own."""
    state = st.session_state
    of_way = {
        PAIR: {"pair": str(state.get(PAIR_NUMBER, 1))},
        PASTED: {"from": str(state.get(COUNTED_FROM, 0))},
        NO_GOLD: {},
    }
    return {} if state[GOLD] == NO_GOLD else {"gold": state[GOLD], **of_way[state[GOLD]]}


def gold_controls(direction: str) -> None:
    """Draw the controls."""
    pairs = pairs_of(direction)
    ways = [way for way in WAYS if way != PAIR or pairs]
    if st.session_state[GOLD] not in ways:
        st.session_state[GOLD] = NO_GOLD
    way = st.segmented_control(
        "Gold links",
        ways,
        format_func=WAYS.__getitem__,
        key=GOLD,
        persist_state="session",
        required=True,
        on_change=take_pair,
        args=(direction,),
        width="stretch",
    )
    if way == PAIR:
        st.selectbox(
            "Pair",
            range(1, len(pairs) + 1),
            format_func=lambda number: f"{number} · {pairs[number - 1].source_text}",
            key=PAIR_NUMBER,
            persist_state="session",
            on_change=take_pair,
            args=(direction,),
            label_visibility="collapsed",
        )
        small_print(PAIR_SAID if st.session_state[DECODING] == "forced" else PAIR_NOT_SAID, "pair-said")
    elif way == PASTED:
        st.text_area(
            "Links, source-target",
            key=LINKS,
            height=68,
            persist_state="session",
            placeholder=PLACEHOLDER,
            help=LINKS_HELP,
        )
        st.segmented_control(
            "The first word is number", [0, 1], key=COUNTED_FROM, persist_state="session", required=True
        )


def take_pair(direction: str) -> None:
    """Let the models read the pair's sentence and say its translation."""
    texts = pair_of(direction)
    if texts is not None:
        state = st.session_state
        state[TEXT], state[TARGET] = texts
        state[DECODING] = "forced"
