"""What the page is asked for: view, schemes and their numbers, model, text, and the order of its words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.positions import SCHEMES
from core.positions.settings import Settings
from core.ui.examples import Example
from core.ui.positions import fields
from core.ui.positions.deberta_versions import CLIPPED
from core.ui.positions.offered import (
    FIRST_BESIDE,
    FIRST_SCHEME,
    FORMULA,
    KINDS,
    MODEL_ITSELF,
    VIEWS,
    examples_of,
    first_of,
    models,
)
from core.ui.positions.state import (
    CHOSEN,
    DIMS,
    FACT,
    HEAD,
    KIND,
    LAYER,
    MODEL,
    ORDER,
    OTHER,
    OTHER_HEAD,
    ROWS,
    SCHEME,
    SHARE,
    SOURCE,
    STREAM,
    TEXT,
    VERSION,
    VIEW,
    key_of,
)

MOST_CURVES = 8
# Words of an order that an address carries.
MOST_MOVED = 200
STREAMS = ("self", "encoder", "decoder")
FIRST_VIEW = next(iter(VIEWS))


@dataclass(frozen=True)
class Wish:
    """The view and all that its controls say.

    scheme   of the formula
    causal   what somebody chose; None for what each scheme has, and `settings` then has what `scheme` has
    other    what stands beside it: a scheme, or MODEL_ITSELF
    chosen   whether somebody chose the model or the text
    fact     number of one of the model's facts; stream: of attention within one text
    head     None for the mean of weights, and for the first head of a bias; other_head: of what stands beside
    rows     positions of a model that are shown; None for all, up to a number that is still legible
    dims     dimensions, or pairs, that are drawn as curves; None for a few of all
    version  of DeBERTa by formula
    order    of the words; None for the one that the text opens with
    kind     of the product of two positions; share: whether entropy is drawn as a share
    """

    view: str
    scheme: str
    other: str
    source: str
    settings: Settings
    causal: bool | None
    model: str
    text: str
    chosen: bool
    fact: int
    stream: str
    layer: int
    head: int | None
    other_head: int | None
    rows: int | None
    dims: tuple[int, ...] | None
    version: str
    order: tuple[int, ...] | None
    kind: str
    share: bool

    @property
    def first(self) -> str:
        """What is looked at, or stands on the left: a scheme, or MODEL_ITSELF."""
        return self.scheme if self.source == FORMULA else MODEL_ITSELF

    @property
    def schemes(self) -> tuple[str, ...]:
        """Names of the schemes whose formulas are shown."""
        sides = (self.first, *((self.other,) if self.is_pair else ()))
        return tuple(name for name in dict.fromkeys(sides) if name in SCHEMES) if self.is_of_schemes else ()

    def settings_of(self, scheme: str) -> Settings:
        """The numbers of a scheme's formula."""
        return replace(self.settings, causal=fields.causal_of(scheme, self.causal))

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
    def order_fits(self) -> bool:
        """Whether an address carries the order of the words."""
        return self.order is None or len(self.order) <= MOST_MOVED

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
            "view": (self.view, FIRST_VIEW),
            "source": (self.source, FORMULA),
            "beside": (self.other, beside_of(self.first) if self.is_pair else FIRST_BESIDE),
            "fact": (str(self.fact), "0"),
            "stream": (self.stream, STREAMS[0]),
            "layer": (str(self.layer), "0"),
            "head": (_spelled(self.head), ""),
            "beside-head": (_spelled(self.other_head), ""),
            "rows": (_spelled(self.rows), ""),
            "dims": (_spelled(self.dims), ""),
            "version": (self.version, CLIPPED),
            "order": (_spelled(self.order) if self.order_fits else "", ""),
            "kind": (self.kind, next(iter(KINDS))),
            "share": (str(int(self.share)), "0"),
        }
        return {
            "scheme": self.scheme,
            **fields.address_of(self.settings, self.causal),
            **{name: value for name, (value, first) in chosen.items() if value != first},
            **({"model": self.model} if self.chosen else {}),
            **({"example": example.slug} if self.chosen and example is not None else {}),
        }


def _spelled(value: int | tuple[int, ...] | None) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else ",".join(map(str, value))


def wish_of_state() -> Wish:
    """What the controls ask for now; `fill` comes first."""
    state = st.session_state
    order, dims, scheme = state[ORDER], state[DIMS], str(state[SCHEME])
    numbers = {name: state[key_of(name)] for name in fields.FIELDS}
    causal = numbers.pop("causal")
    return Wish(
        view=str(state[VIEW]),
        scheme=scheme,
        other=str(state[OTHER]),
        source=str(state[SOURCE]),
        settings=Settings(**numbers, causal=fields.causal_of(scheme, causal)),
        causal=causal,
        model=str(state[MODEL]),
        text=str(state[TEXT]),
        chosen=bool(state[CHOSEN]),
        fact=int(state[FACT]),
        stream=str(state[STREAM]),
        layer=int(state[LAYER]),
        head=_number(state[HEAD]),
        other_head=_number(state[OTHER_HEAD]),
        rows=_number(state[ROWS]),
        dims=None if dims is None else tuple(dims),
        version=str(state[VERSION]),
        order=None if order is None else tuple(order),
        kind=str(state[KIND]),
        share=bool(state[SHARE]),
    )


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def fill() -> None:
    """Give every control a value that has none yet, and leave a model that is gone."""
    state = st.session_state
    first: dict[str, Any] = {
        VIEW: FIRST_VIEW, SCHEME: FIRST_SCHEME, OTHER: FIRST_BESIDE, SOURCE: FORMULA, CHOSEN: False, FACT: 0,
        STREAM: STREAMS[0], LAYER: 0, HEAD: None, OTHER_HEAD: None, ROWS: None, DIMS: None, VERSION: CLIPPED,
        ORDER: None, KIND: next(iter(KINDS)), SHARE: False,
        **{key_of(name): fields.FIRST[name] for name in fields.FIELDS},
    }  # fmt: skip
    for key, value in first.items():
        state.setdefault(key, value)
    if state.get(MODEL) not in models():
        state[CHOSEN] = False
        follow_view()


def part_sides() -> None:
    """Put another formula beside where both sides would be the same."""
    state = st.session_state
    first = state[SCHEME] if state[SOURCE] == FORMULA else MODEL_ITSELF
    if state[OTHER] == first:
        state[OTHER] = beside_of(first)


def beside_of(first: str) -> str:
    """What stands beside the first until somebody chooses: another scheme."""
    return FIRST_BESIDE if first != FIRST_BESIDE else FIRST_SCHEME


def follow_view() -> None:
    """Another view opens its own model and text, unless somebody chose them. To be called as a callback."""
    state = st.session_state
    if state[VIEW] == "pair":
        part_sides()
    if not state[CHOSEN]:
        state[MODEL], state[TEXT] = first_of(str(state[VIEW]))
        forget_parts()


def forget_parts() -> None:
    """Another model or text: what was looked at in it belonged to the old one."""
    st.session_state.update({FACT: 0, STREAM: STREAMS[0], LAYER: 0, ROWS: None, ORDER: None})
    forget_look()


def forget_look() -> None:
    """Another scheme: heads and dimensions were the old one's. To be called as a callback."""
    st.session_state.update({HEAD: None, OTHER_HEAD: None, DIMS: None})


def first_visit() -> dict[str, str]:
    """The address of a first visit."""
    return {"scheme": FIRST_SCHEME}
