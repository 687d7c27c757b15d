"""What a model is made to write: how much, how it chooses, or what an encoder-decoder is made to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.ui.arrival import Arrival
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard
    from core.models.generation import Decoding

MOST_WRITTEN = 256
MOST_BEAMS = 8
MOST_SEED = 999_999
LEAST_HEAT, MOST_HEAT = 0.1, 3.0
KINDS = {
    "greedy": "The likeliest (greedy)",
    "sampled": "Drawn by probability (sampled)",
    "beam": "Best of several texts (beam)",
}
# State of the controls, by their names in an address, with their values at first.
DEFAULTS = {"generate": 0, "decoding": "greedy", "seed": 0, "temperature": 1.0, "beams": 4}


@dataclass(frozen=True)
class Writing:
    """target is what an encoder-decoder is made to say; the rest is as in `core.models.generation.Decoding`."""

    target: str | None = None
    generate: int = 0
    kind: str = "greedy"
    seed: int = 0
    temperature: float = 1.0
    beams: int = 4

    def decoding(self) -> Decoding:
        """The same in the model's words."""
        from core.models.generation import Decoding

        return Decoding(self.kind, **self._of_kind)

    @property
    def address(self) -> dict[str, str]:
        """The parameters that ask for the same; nothing that is as at first, and no text."""
        values: dict[str, object] = {"generate": self.generate, "decoding": self.kind, **self._of_kind}
        return {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in values.items()
                if value != DEFAULTS[name]}  # fmt: skip

    @property
    def _of_kind(self) -> dict[str, Any]:
        """What belongs to its kind."""
        of_kind: dict[str, dict[str, Any]] = {
            "sampled": {"seed": self.seed, "temperature": self.temperature},
            "beam": {"beams": self.beams},
        }
        return of_kind.get(self.kind, {})


NOTHING = Writing()


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for."""
    state = st.session_state
    state.generate = arriving.number("generate", 0, MOST_WRITTEN, 0, "The number of tokens to write")
    state.decoding = arriving.choice("decoding", tuple(KINDS), "greedy", "decoding")
    state.seed = arriving.number("seed", 0, MOST_SEED, 0, "The seed")
    state.temperature = arriving.real("temperature", LEAST_HEAT, MOST_HEAT, 1.0, "The temperature")
    state.beams = arriving.number("beams", 2, MOST_BEAMS, 4, "The number of beams")


def writing_controls(card: ModelCard | None, slot: DeltaGenerator) -> Writing:
    """Draw the controls of a model that writes or is told what to say; nothing for others, or one not known yet."""
    state = st.session_state
    if card is None:
        target = (state.get("target") or "").strip() or None
        generate, kind, seed, temperature, beams = (state.get(name, default) for name, default in DEFAULTS.items())
        return Writing(target, generate, kind, seed, temperature, beams)
    answers = card.answers
    if not card.writes:
        return _said_to(slot) if answers else Writing()
    most = min(MOST_WRITTEN, card.max_tokens)
    # Only where it must change: a number that is being typed would be lost.
    if state.get("generate", 0) > most or "generate" not in state:
        state.generate = min(state.get("generate", 0), most)
    with slot:
        label = "Answer with at most (tokens; 0 means 128)" if answers else "Let the model write (tokens)"
        generate = st.number_input(label, 0, most, step=1, key="generate", persist_state="session")
        target = ""
        if answers:
            target = st.text_area("Or make it say", key="target", height=68, persist_state="session")
        if target.strip():
            small_print("The model reads this as its answer and writes nothing; empty the box to let it write.", "said")
            return Writing(target.strip(), int(generate))
        if not generate and not answers:
            return Writing()
        return Writing(None, int(generate), *_decoding_controls())


def _said_to(slot: DeltaGenerator) -> Writing:
    """What is read beside the text by a decoder that has no head to write with."""
    with slot:
        target = st.text_area("What its decoder reads", key="target", height=68, persist_state="session")
    return Writing(target.strip() or None)


def _decoding_controls() -> tuple[str, int, float, int]:
    """How the next token is chosen, in one line and the numbers that belong to it: kind, seed, temperature, beams."""
    kind = st.selectbox(
        "Next token", tuple(KINDS), format_func=KINDS.__getitem__, key="decoding", persist_state="session"
    )
    seed, temperature, beams = NOTHING.seed, NOTHING.temperature, NOTHING.beams
    if kind == "sampled":
        left, right = st.columns(2)
        temperature = left.number_input(
            "Temperature", LEAST_HEAT, MOST_HEAT, step=0.1, key="temperature", persist_state="session"
        )
        seed = right.number_input("Seed", 0, MOST_SEED, step=1, key="seed", persist_state="session")
    elif kind == "beam":
        beams = st.number_input("Beams", 2, MOST_BEAMS, step=1, key="beams", persist_state="session")
    return str(kind), int(seed), float(temperature), int(beams)
