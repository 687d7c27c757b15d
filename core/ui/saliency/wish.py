"""What the page is asked for: model, text, what is explained of its answer, how, and by which methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.ui import links, own_models, own_texts
from core.ui.arrival import QUOTED, Arrival, whole_number
from core.ui.examples import Example
from core.ui.saliency.offered import AT_FIRST, examples_of, first_text, models
from core.ui.saliency.state import (
    AGAINST,
    AGGREGATION,
    ANSWER,
    AT,
    BASELINE,
    BY,
    BY_CHOSEN,
    BY_FITTING,
    FOIL,
    METHODS,
    MODEL,
    PAIR,
    PICKED,
    SCALAR,
    STATISTIC,
    TARGET,
    TEXT,
    VIEW,
)
from core.ui.saliency.units import TOKEN, WORD, fitting

UNITS = {WORD: "Words", TOKEN: "Tokens"}
SCALARS = ("margin", "logit", "log probability", "probability")
BASELINES = ("default", "mask", "unknown", "zero", "mean", "padding")
AGGREGATIONS = ("l2", "l1", "dot", "absolute dot")
STATISTICS = ("tau", "rho", "kappa")
# What attention weight stands beside at first.
BESIDE = "gradient_norm"
VIEWS = {
    "agreement": "Agreement",
    "matter": "Does it matter?",
    "cost": "Cost and checks",
    "guide": "How to read this",
}
# Of an address, by their names there and in the page's state, and in words.
TEXTS = {"text": TEXT, "text_pair": PAIR, "answer": ANSWER}
IN_LINKS = {"text": "text", "text_pair": "second text", "answer": "answer"}
_NO_TEXT = "The address does not carry the text of the view it names: the first example is shown instead."


@dataclass(frozen=True)
class Asked:
    """A question before it is asked: enough to know whether a stored answer is the one that is wanted."""

    model: str
    text: str
    text_pair: str
    answer: str
    by: str
    target: int | None
    foil: int | None
    scalar: str
    baseline: str
    aggregation: str
    at: int | None = None


@dataclass(frozen=True)
class Wish:
    """asked: the question; methods: names of those that answer it; view: what stands below the words."""

    asked: Asked
    methods: tuple[str, ...]
    view: str

    @property
    def example(self) -> Example | None:
        """The example that the text is, if it is one."""
        return next((each for each in examples_of(self.asked.model) if each.text == self.asked.text), None)

    @property
    def own_texts(self) -> dict[str, str]:
        """The reader's own texts, by their names in an address."""
        text = "" if self.example is not None else self.asked.text
        found = {"text": text, "text_pair": self.asked.text_pair, "answer": self.asked.answer}
        return {name: value for name, value in found.items() if value.strip()}

    @property
    def address(self) -> dict[str, str]:
        """The parameters that ask for the same, without the reader's own texts."""
        asked, example = self.asked, self.example
        numbers = {"about": asked.target, "against": asked.foil, "at": asked.at}
        chosen = {
            "by": (asked.by, fitting() if st.session_state.get(BY_CHOSEN) else asked.by),
            "scalar": (asked.scalar, SCALARS[0]),
            "baseline": (asked.baseline, BASELINES[0]),
            "aggregation": (asked.aggregation, AGGREGATIONS[0]),
            "methods": (",".join(self.methods), ",".join(AT_FIRST)),
            "view": (self.view, next(iter(VIEWS))),
        }
        picked = st.session_state.get(PICKED)
        shown = {"statistic": (STATISTIC, STATISTICS[0]), "beside": (AGAINST, BESIDE)}
        kept = {name: str(st.session_state.get(key) or first) for name, (key, first) in shown.items()}
        return {
            "model": asked.model,
            **({} if example is None else {"example": example.slug}),
            **{name: str(number) for name, number in numbers.items() if number is not None},
            **{name: value for name, (value, first) in chosen.items() if value != first},
            **{name: value for name, value in kept.items() if value != shown[name][1]},
            **({} if picked is None else {"word": str(picked)}),
        }


def wish_of_state() -> Wish:
    """What the controls ask for now; `fill` comes first."""
    state = st.session_state
    asked = Asked(
        model=str(state[MODEL]),
        text=str(state[TEXT]),
        text_pair=str(state[PAIR]),
        answer=str(state[ANSWER]),
        by=str(state[BY]),
        target=state[TARGET],
        foil=state[FOIL],
        scalar=str(state[SCALAR]),
        baseline=str(state[BASELINE]),
        aggregation=str(state[AGGREGATION]),
        at=state[AT],
    )
    return Wish(asked, tuple(state[METHODS]), str(state[VIEW]))


def fill() -> None:
    """Give every control a value that has none yet, and leave a model that is gone."""
    state, there = st.session_state, models()
    if state.get(MODEL) not in there:
        state[MODEL] = there[0]
        state[TEXT] = first_text(there[0])
    first: dict[str, Any] = {
        TEXT: first_text(str(state[MODEL])), PAIR: "", ANSWER: "", TARGET: None, FOIL: None, AT: None,
        SCALAR: SCALARS[0], BASELINE: BASELINES[0], AGGREGATION: AGGREGATIONS[0], METHODS: list(AT_FIRST),
        VIEW: next(iter(VIEWS)),
    }  # fmt: skip
    for key, value in first.items():
        state.setdefault(key, value)
    if not state.get(BY_CHOSEN):
        state[BY] = fitting()


def forget_target() -> None:
    """Another text or model: what was asked about and marked belonged to the old one. To be called as a callback."""
    st.session_state[TARGET] = st.session_state[FOIL] = st.session_state[AT] = st.session_state[PICKED] = None


def first_visit() -> dict[str, str]:
    """The address of a first visit."""
    model = models()[0]
    return {"model": model, "example": examples_of(model)[0].slug}


def arrive(arriving: Arrival, known: tuple[str, ...]) -> None:
    """Set the controls to what an address asks for, as far as it can be had. known: names of all methods."""
    state, there = st.session_state, models()
    asked = arriving.get("model")
    gone = None if asked is None else own_models.why_gone(asked)
    if gone is not None:
        arriving.remarks.append(f"{gone}; {there[0]} is used.")
    elif asked is not None and asked not in there:
        arriving.remarks.append(f"There is no model {asked[:QUOTED]} here: {there[0]} is used.")
    state[MODEL] = asked if asked in there else there[0]
    said = tuple(arriving.remarks)
    _arrive_with_texts(arriving)
    if gone is not None:
        # What was read in it is gone with it, which needs no sentence of its own.
        arriving.remarks[:] = said
    state[BY] = arriving.choice("by", tuple(UNITS), WORD, "unit")
    state[BY_CHOSEN], state[BY_FITTING] = "by" in arriving, WORD
    state[SCALAR] = arriving.choice("scalar", SCALARS, SCALARS[0], "scalar")
    state[BASELINE] = arriving.choice("baseline", BASELINES, BASELINES[0], "baseline")
    state[AGGREGATION] = arriving.choice("aggregation", AGGREGATIONS, AGGREGATIONS[0], "aggregation")
    state[VIEW] = arriving.choice("view", tuple(VIEWS), next(iter(VIEWS)), "view")
    state[STATISTIC] = arriving.choice("statistic", STATISTICS, STATISTICS[0], "statistic")
    state[AGAINST] = arriving.choice("beside", known, BESIDE, "method")
    for key, name in ((TARGET, "about"), (FOIL, "against"), (AT, "at"), (PICKED, "word")):
        number = arriving.get(name)
        state[key] = None if number is None else whole_number(number)
    methods = arriving.get("methods")
    named = [] if methods is None else methods.split(",")
    state[METHODS] = [name for name in dict.fromkeys(named) if name in known] or list(AT_FIRST)
    if strange := [name for name in named if name not in known]:
        arriving.remarks.append(f"There is no method {strange[0][:QUOTED]} here: it is left out.")


def _arrive_with_texts(arriving: Arrival) -> None:
    state = st.session_state
    linked, number = links.texts_of(arriving, IN_LINKS), arriving.get(own_texts.NUMBER)
    own, asked = own_texts.remembered(number), arriving.get("example")
    example = next((each for each in examples_of(state[MODEL]) if each.slug == asked), None)
    if asked is not None and example is None:
        arriving.remarks.append(f"There is no example {asked[:QUOTED]} for this model.")
    if number is not None and own is None:
        arriving.remarks.append(_NO_TEXT)
    text = example.text if example is not None else first_text(str(state[MODEL]))
    found = {"text": text, "text_pair": "", "answer": "", **linked, **(own or {})}
    for name, key in TEXTS.items():
        state[key] = found[name]
