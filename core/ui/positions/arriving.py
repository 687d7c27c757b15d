"""The page as an address asks for it: what cannot be had falls back, with a sentence."""

from __future__ import annotations

import re

import streamlit as st

from core.positions import SCHEMES
from core.ui import links, own_models, own_texts
from core.ui.arrival import QUOTED, Arrival, whole_number
from core.ui.positions import fields
from core.ui.positions.deberta_versions import CLIPPED, VERSIONS
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
from core.ui.positions.wish import FIRST_VIEW, MOST_CURVES, MOST_MOVED, STREAMS, part_sides

IN_LINKS = {"text": "text"}
# Of a list of dimensions.
MOST_CHARACTERS = 80
# Numbers whose bounds the model decides: names in the address, and what they are without one.
NUMBERS: dict[str, tuple[str, int | None]] = {
    FACT: ("fact", 0),
    LAYER: ("layer", 0),
    HEAD: ("head", None),
    OTHER_HEAD: ("beside-head", None),
    ROWS: ("rows", None),
}
_NO_NUMBER = "{name} is a whole number from 0 on, not “{asked}”: what is shown first is used."
_NO_TEXT = "The address does not carry the text of the view it names: an example is shown instead."


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for, as far as it can be had."""
    state = st.session_state
    state[VIEW] = arriving.choice("view", tuple(VIEWS), FIRST_VIEW, "view")
    state[SCHEME] = arriving.choice("scheme", tuple(SCHEMES), FIRST_SCHEME, "scheme")
    state[OTHER] = arriving.choice("beside", (*SCHEMES, MODEL_ITSELF), FIRST_BESIDE, "scheme")
    state[SOURCE] = arriving.choice("source", tuple(SOURCES), FORMULA, "source")
    if state[VIEW] == "pair" and "beside" not in arriving:
        part_sides()
    state[KIND] = arriving.choice("kind", tuple(KINDS), next(iter(KINDS)), "kind of product")
    state[SHARE] = arriving.flag("share", "Entropy as a share")
    state[STREAM] = arriving.choice("stream", STREAMS, STREAMS[0], "stream")
    for name in fields.FIELDS:
        state[key_of(name)] = fields.arrived(arriving, name)
    for key, (name, first) in NUMBERS.items():
        asked = arriving.get(name)
        number = None if asked is None else whole_number(asked)
        state[key] = first if number is None else number
        if asked is not None and number is None:
            arriving.remarks.append(_NO_NUMBER.format(name=name.capitalize(), asked=asked[:QUOTED]))
    state[VERSION] = arriving.choice("version", tuple(VERSIONS), CLIPPED, "version of DeBERTa")
    state[DIMS] = _dims(arriving)
    _arrive_with_model(arriving)
    state[ORDER] = _order(arriving)


def _arrive_with_model(arriving: Arrival) -> None:
    state, there = st.session_state, models()
    first, text = first_of(state[VIEW])
    asked, slug, number = arriving.get("model"), arriving.get("example"), arriving.get(own_texts.NUMBER)
    gone = None if asked is None else own_models.why_gone(asked)
    if gone is not None:
        arriving.remarks.append(f"{gone}; {first} is used.")
    elif asked is not None and asked not in there:
        arriving.remarks.append(f"There is no model {asked[:QUOTED]} here: {first} is used.")
    said = tuple(arriving.remarks)
    model = asked if asked in there else first
    linked, own = links.texts_of(arriving, IN_LINKS), own_texts.remembered(number)
    if number is not None and own is None:
        arriving.remarks.append(_NO_TEXT)
    example = next((each for each in examples_of(model) if each.slug == slug), None)
    if slug is not None and example is None:
        arriving.remarks.append(f"There is no example {slug[:QUOTED]} for this model.")
    if gone is not None:
        # What was read in it is gone with it, which needs no sentence of its own.
        arriving.remarks[:] = said
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
    parts = asked.split(",") if re.fullmatch(r"[0-9,]{1,999}", asked) else []
    order = tuple(number for part in parts if (number := whole_number(part)) is not None)
    if 0 < len(order) <= MOST_MOVED and sorted(order) == list(range(len(parts))):
        return order
    arriving.remarks.append(f"The order {asked[:QUOTED]} is none of words from 0 on, each once: another is shown.")
    return None


def _dims(arriving: Arrival) -> tuple[int, ...] | None:
    """Dimensions that an address asks for; whether there are so many is known once it is clear of what."""
    asked = arriving.get("dims")
    if asked is None:
        return None
    found = [whole_number(part) for part in asked[:MOST_CHARACTERS].split(",")]
    dims = tuple(sorted({number for number in found if number is not None}))
    if None not in found and len(dims) <= MOST_CURVES and len(asked) <= MOST_CHARACTERS:
        return dims
    arriving.remarks.append(
        f"Dimensions are up to {MOST_CURVES} numbers with commas between them, not {asked[:QUOTED]}: others are drawn."
    )
    return None
