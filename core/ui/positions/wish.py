"""What the page is asked for: view, schemes and their numbers, model, text, and the order of its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.positions import SCHEMES
from core.positions.settings import Settings
from core.ui import links, own_texts
from core.ui.arrival import QUOTED, Arrival, whole_number
from core.ui.examples import Example
from core.ui.positions import fields
from core.ui.positions.offered import (
    FIRST_BESIDE,
    FIRST_SCHEME,
    FORMULA,
    KINDS,
    MODEL_ITSELF,
    SOURCES,
    VIEWS,
    examples_of,
    first_of,
    first_text,
    models,
)
from core.ui.positions.state import (
    CHOSEN,
    FACT,
    HEAD,
    KIND,
    LAYER,
    MODEL,
    ORDER,
    OTHER,
    SCHEME,
    SHARE,
    SOURCE,
    STREAM,
    TEXT,
    VIEW,
    key_of,
)

IN_LINKS = {"text": "text"}
MOST_WORDS = 200
STREAMS = ("self", "encoder", "decoder")
_FIRST_VIEW = next(iter(VIEWS))
_NO_TEXT = "The address does not carry the text of the view it names: an example is shown instead."


@dataclass(frozen=True)
class Wish:
    """The view and all that its controls say.

    scheme   of the formula
    other    what stands beside it: a scheme, or MODEL_ITSELF
    chosen   whether somebody chose the model or the text
    fact     number of one of the model's facts; stream: of attention within one text
    head     None for the mean of weights, and for the first head of a bias
    order    of the words; None for the one that the text opens with
    kind     of the product of two positions; share: whether entropy is drawn as a share
    """

    view: str
    scheme: str
    other: str
    source: str
    settings: Settings
    model: str
    text: str
    chosen: bool
    fact: int
    stream: str
    layer: int
    head: int | None
    order: tuple[int, ...] | None
    kind: str
    share: bool

    @property
    def schemes(self) -> tuple[str, ...]:
        """Names of the schemes whose formulas are shown."""
        sides = (self.scheme if self.source == FORMULA else MODEL_ITSELF, *((self.other,) if self.is_pair else ()))
        return tuple(name for name in dict.fromkeys(sides) if name in SCHEMES) if self.is_of_schemes else ()

    @property
    def is_pair(self) -> bool:
        """Whether two schemes stand side by side."""
        return self.view == "pair"

    @property
    def is_of_schemes(self) -> bool:
        """Whether the view is of schemes, each by its formula or as a model has it."""
        return self.view in ("scheme", "pair")

    @property
    def reads_model(self) -> bool:
        """Whether a model is opened."""
        if self.is_of_schemes:
            return self.source == MODEL_ITSELF or (self.is_pair and self.other == MODEL_ITSELF)
        return self.reads_text

    @property
    def reads_text(self) -> bool:
        """Whether a text goes through the model."""
        return self.view in ("model", "order")

    @property
    def example(self) -> Example | None:
        """The example that the text is, if it is one."""
        return next((each for each in examples_of(self.model) if each.text == self.text), None)

    @property
    def own_texts(self) -> dict[str, str]:
        """The reader's own text, by its name in an address."""
        return {"text": self.text} if self.example is None and self.text.strip() else {}

    @property
    def address(self) -> dict[str, str]:
        """The parameters that ask for the same, without the reader's own text."""
        example = self.example
        chosen = {
            "view": (self.view, _FIRST_VIEW),
            "source": (self.source, FORMULA),
            "beside": (self.other, FIRST_BESIDE),
            "fact": (str(self.fact), "0"),
            "stream": (self.stream, STREAMS[0]),
            "layer": (str(self.layer), "0"),
            "head": ("" if self.head is None else str(self.head), ""),
            "order": ("" if self.order is None else ",".join(map(str, self.order)), ""),
            "kind": (self.kind, next(iter(KINDS))),
            "share": (str(int(self.share)), "0"),
        }
        return {
            "scheme": self.scheme,
            **fields.address_of(self.settings),
            **{name: value for name, (value, first) in chosen.items() if value != first},
            **({"model": self.model} if self.chosen else {}),
            **({"example": example.slug} if self.chosen and example is not None else {}),
        }


def wish_of_state() -> Wish:
    """What the controls ask for now; `fill` comes first."""
    state = st.session_state
    head, order = state[HEAD], state[ORDER]
    return Wish(
        view=str(state[VIEW]),
        scheme=str(state[SCHEME]),
        other=str(state[OTHER]),
        source=str(state[SOURCE]),
        settings=Settings(**{name: state[key_of(name)] for name in fields.FIELDS}),
        model=str(state[MODEL]),
        text=str(state[TEXT]),
        chosen=bool(state[CHOSEN]),
        fact=int(state[FACT]),
        stream=str(state[STREAM]),
        layer=int(state[LAYER]),
        head=None if head is None else int(head),
        order=None if order is None else tuple(order),
        kind=str(state[KIND]),
        share=bool(state[SHARE]),
    )


def fill() -> None:
    """Give every control a value that has none yet, and leave a model that is gone."""
    state = st.session_state
    first: dict[str, Any] = {
        VIEW: _FIRST_VIEW, SCHEME: FIRST_SCHEME, OTHER: FIRST_BESIDE, SOURCE: FORMULA, CHOSEN: False, FACT: 0,
        STREAM: STREAMS[0], LAYER: 0, HEAD: None, ORDER: None, KIND: next(iter(KINDS)), SHARE: False,
        **{key_of(name): fields.FIRST[name] for name in fields.FIELDS},
    }  # fmt: skip
    for key, value in first.items():
        state.setdefault(key, value)
    if state.get(MODEL) not in models():
        state[CHOSEN] = False
        follow_view()


def follow_view() -> None:
    """Another view opens its own model and text, unless somebody chose them. To be called as a callback."""
    state = st.session_state
    if not state[CHOSEN]:
        state[MODEL], state[TEXT] = first_of(str(state[VIEW]))
        forget_parts()


def forget_parts() -> None:
    """Another model or text: what was looked at in it belonged to the old one."""
    st.session_state.update({FACT: 0, STREAM: STREAMS[0], LAYER: 0, HEAD: None, ORDER: None})


def first_visit() -> dict[str, str]:
    """The address of a first visit."""
    return {"scheme": FIRST_SCHEME}


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for, as far as it can be had."""
    state = st.session_state
    state[VIEW] = arriving.choice("view", tuple(VIEWS), _FIRST_VIEW, "view")
    state[SCHEME] = arriving.choice("scheme", tuple(SCHEMES), FIRST_SCHEME, "scheme")
    state[OTHER] = arriving.choice("beside", (*SCHEMES, MODEL_ITSELF), FIRST_BESIDE, "scheme")
    state[SOURCE] = arriving.choice("source", tuple(SOURCES), FORMULA, "source")
    state[KIND] = arriving.choice("kind", tuple(KINDS), next(iter(KINDS)), "kind of product")
    state[SHARE] = arriving.flag("share", "Entropy as a share")
    state[STREAM] = arriving.choice("stream", STREAMS, STREAMS[0], "stream")
    for name in fields.FIELDS:
        state[key_of(name)] = fields.arrived(arriving, name)
    for key, name in ((FACT, "fact"), (LAYER, "layer"), (HEAD, "head")):
        asked = arriving.get(name)
        number = None if asked is None else whole_number(asked)
        state[key] = number if number is not None or key == HEAD else 0
    _arrive_with_model(arriving)
    state[ORDER] = _order(arriving)


def _arrive_with_model(arriving: Arrival) -> None:
    state, there = st.session_state, models()
    first, text = first_of(state[VIEW])
    asked, slug, number = arriving.get("model"), arriving.get("example"), arriving.get(own_texts.NUMBER)
    if asked is not None and asked not in there:
        arriving.remarks.append(f"There is no model {asked[:QUOTED]} here: {first} is used.")
    model = asked if asked in there else first
    linked, own = links.texts_of(arriving, IN_LINKS), own_texts.remembered(number)
    if number is not None and own is None:
        arriving.remarks.append(_NO_TEXT)
    example = next((each for each in examples_of(model) if each.slug == slug), None)
    if slug is not None and example is None:
        arriving.remarks.append(f"There is no example {slug[:QUOTED]} for this model.")
    if example is not None:
        text = example.text
    elif model != first:
        text = first_text(model, state[VIEW])
    found = {"text": text, **linked, **(own or {})}
    state[MODEL], state[TEXT] = model, found["text"]
    state[CHOSEN] = bool(asked in there or example is not None or linked or own)


def _order(arriving: Arrival) -> tuple[int, ...] | None:
    """An order that an address asks for; whether the text has so many words is known once it is read."""
    asked = arriving.get("order")
    if asked is None:
        return None
    parts = asked.split(",", MOST_WORDS) if re.fullmatch(r"[0-9,]{1,999}", asked) else []
    order = tuple(number for part in parts if (number := whole_number(part)) is not None)
    if order and sorted(order) == list(range(len(parts))):
        return order
    arriving.remarks.append(f"The order {asked[:QUOTED]} is none of words from 0 on, each once: another is shown.")
    return None
