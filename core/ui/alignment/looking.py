"""How the answers are read: which attention of a Transformer, which row of the decoder, which model word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui import remarks
from core.ui.address import take
from core.ui.alignment.state import HEAD, LAYER, READS, WORD_MODEL
from core.ui.arrival import QUOTED, Arrival, whole_number
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.ui.alignment.running import Outcome

MEAN = "mean"
Reads = Literal["output", "input"]
READINGS = {"output": "With output", "input": "With input"}
# What is said under the choice, and in captions.
CONVENTIONS = {
    "output": "A word's row is the step that produced it.",
    "input": "A word's row is the step that read it back in, one after the step that produced it.",
}
READS_HELP = (
    "A decoder's step reads the word before and produces the next one, so its weights can be put down to either. In "
    "lower layers of a Transformer they often fit the word that is read."
)


@dataclass(frozen=True)
class Looking:
    """layer, head: None for the mean over all; word: the model that is looked at word by word, "" for none.

    chosen: whether somebody chose that one.
    """

    layer: int | None
    head: int | None
    reads: Reads
    word: str
    chosen: bool

    @property
    def address(self) -> dict[str, str]:
        """The parameters that ask for the same, without what is as at first."""
        found = {"layer": self.layer, "head": self.head}
        numbers = {name: str(number) for name, number in found.items() if number is not None}
        word = {"word": self.word} if self.chosen else {}
        return {**numbers, **({} if self.reads == "output" else {"reads": self.reads}), **word}

    def of(self, layers: int, heads: int) -> tuple[int | None, int | None]:
        """The layer and head of a network with so many; the last where it has fewer."""
        layer = None if self.layer is None or layers == 1 else min(self.layer, layers - 1)
        head = None if self.head is None or heads == 1 else min(self.head, heads - 1)
        return layer, head


def looking_at(outcomes: Sequence[Outcome], slot: DeltaGenerator) -> Looking:
    """Draw the controls into their place in the sidebar, set to what an address asks for if somebody arrives by one."""
    runs = [outcome.run for outcome in outcomes if outcome.run is not None and outcome.run.attends]
    layers = max((run.trace.layers("cross") for run in runs), default=1)
    heads = max((run.trace.heads("cross") for run in runs), default=1)
    arriving = take("alignment_view")
    if arriving is not None:
        _arrive(arriving, layers, heads, [outcome.model for outcome in outcomes])
        remarks.keep(arriving.remarks)
    with slot:
        layer, head = _layer_and_head(layers, heads)
        reads = _reads() if runs else "output"
    first = _first_word_model(outcomes)
    there = [outcome.model for outcome in outcomes if outcome.run is not None]
    if st.session_state.get(WORD_MODEL) not in there:
        st.session_state[WORD_MODEL] = first
    word = str(st.session_state[WORD_MODEL])
    return Looking(layer, head, reads, word, word != first)


def _layer_and_head(layers: int, heads: int) -> tuple[int | None, int | None]:
    """Which attention of the Transformers; other networks have one, and are not asked."""
    if layers == 1 and heads == 1:
        return None, None
    left, right = st.columns(2)
    with left:
        layer = _number(LAYER, "Layer", layers)
    with right:
        head = _number(HEAD, "Head", heads)
    return layer, head


def _number(key: str, label: str, count: int) -> int | None:
    options = [MEAN, *map(str, range(count))]
    # Models with fewer may be shown than when this was chosen.
    if st.session_state.get(key) not in options:
        st.session_state[key] = MEAN
    chosen = st.selectbox(
        f"{label} (0–{count - 1})", options, format_func=str.capitalize, key=key, persist_state="session"
    )
    return None if chosen == MEAN else int(str(chosen))


def _reads() -> Reads:
    st.session_state.setdefault(READS, "output")
    chosen = st.segmented_control(
        "Rows read",
        tuple(READINGS),
        format_func=READINGS.__getitem__,
        key=READS,
        persist_state="session",
        required=True,
        help=READS_HELP,
        width="stretch",
    )
    small_print(CONVENTIONS[str(chosen)], "convention")
    return cast(Reads, chosen)


def _first_word_model(outcomes: Sequence[Outcome]) -> str:
    """The model that is looked at before somebody chooses: the first that attends, "" where none ran."""
    there = [outcome.model for outcome in outcomes if outcome.run is not None]
    attending = [o.model for o in outcomes if o.run is not None and o.run.attends]
    return next(iter([*attending, *there]), "")


def _arrive(arriving: Arrival, layers: int, heads: int, models: list[str]) -> None:
    state = st.session_state
    for key, name, count in ((LAYER, "layer", layers), (HEAD, "head", heads)):
        state[key] = _asked(arriving, name, count)
    state[READS] = arriving.choice("reads", tuple(READINGS), "output", "way to read the rows")
    word = arriving.get("word")
    if word is not None and word not in models:
        arriving.remarks.append(f"The model {word[:QUOTED]} is not among those shown: another is read word by word.")
    state[WORD_MODEL] = word


def _asked(arriving: Arrival, name: str, count: int) -> str:
    """A number as the menu has it, the mean where there is no such number."""
    asked = arriving.get(name)
    number = None if asked is None else whole_number(asked)
    if number is not None and number < count:
        return str(number)
    if asked not in (None, MEAN):
        has = f"have 0 to {count - 1}: the mean" if count > 1 else f"have one {name}: that one"
        arriving.remarks.append(f"There is no {name} “{str(asked)[:20]}” in these models, which {has} is shown.")
    return MEAN
