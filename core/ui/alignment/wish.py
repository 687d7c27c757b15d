"""What the page is asked for: direction, models, sentence, and how each model comes to its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from core.ui import links, own_models, own_texts
from core.ui.alignment.examples import Example, example_with, examples_of
from core.ui.alignment.gold_choice import NO_GOLD, PAIR, PASTED, arrive_at_gold, leave_pair, pair_of
from core.ui.alignment.models import DIRECTIONS, MOST_SIDE_BY_SIDE, OTHER, directions, first_choice, offered
from core.ui.alignment.state import BEAMS, DECODING, DIRECTION, GOLD, LINKS, MODELS, TARGET, TEXT
from core.ui.arrival import QUOTED, Arrival
from core.ui.first_texts import text_of
from core.ui.small_models import small_model
from core.ui.writing import MOST_BEAMS

DECODINGS = {"greedy": "Greedy", "beam": "Beam", "forced": "Forced"}
FIRST_BEAMS = 4
# Of an address, by their names there and in the page's state.
TEXTS = {"text": TEXT, "target": TARGET, "links": LINKS}
# The same, in words, and the tokens of `going_on`.
IN_LINKS = {"text": "sentence", "target": "translation", "links": "gold links", "prefix": "words to begin with"}
_SEPARATOR = ","
_NO_TEXT = "The address does not carry your own texts of the view it names, which this browser session alone knows: {}."


@dataclass(frozen=True)
class Wish:
    """decoding: a name of `DECODINGS`; target: what the models are made to say, "" unless that is "forced"."""

    direction: str
    models: tuple[str, ...]
    text: str
    decoding: str
    beams: int
    target: str

    @property
    def example(self) -> Example | None:
        """The example that the text is, if it is one."""
        return example_with(self.direction, self.text)

    @property
    def own_texts(self) -> dict[str, str]:
        """The texts that are the reader's own, by their names in an address."""
        kept = st.session_state
        known = self.example is not None or kept[GOLD] == PAIR
        texts = {
            "text": "" if known else self.text,
            "target": "" if kept[GOLD] == PAIR else self.target,
            "links": kept.get(LINKS, "") if kept[GOLD] == PASTED else "",
        }
        return {name: text for name, text in texts.items() if text.strip()}

    @property
    def address(self) -> dict[str, str]:
        """The parameters that ask for the same, without the texts of the reader's own."""
        plain = {"direction": self.direction, "models": _SEPARATOR.join(self.models), "decoding": self.decoding}
        beams = {"beams": str(self.beams)} if self.decoding == "beam" else {}
        known = self.example if st.session_state[GOLD] != PAIR else None
        return {**plain, **beams, **({} if known is None else {"example": known.slug})}


def wish_of_state() -> Wish:
    """What the controls ask for now; `fill` comes first."""
    state = st.session_state
    decoding = state[DECODING]
    target = _in_one_line(str(state[TARGET])).strip() if decoding == "forced" else ""
    text = str(state[TEXT]) if state[DIRECTION] == OTHER else _in_one_line(str(state[TEXT]))
    return Wish(state[DIRECTION], tuple(state[MODELS]), text, decoding, int(state[BEAMS]), target)


def _in_one_line(text: str) -> str:
    """Every run of white space and control characters as one space: the models of a direction know no line breaks."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text)


def fill() -> None:
    """Give every control a value that has none yet, and take out models that are gone."""
    state = st.session_state
    if state.get(DIRECTION) not in directions():
        open_direction(directions()[0])
    there = offered(state[DIRECTION])
    if any(name not in there for name in state[MODELS]):
        state[MODELS] = [name for name in state[MODELS] if name in there] or list(first_choice(state[DIRECTION]))
    for key, value in {DECODING: "greedy", BEAMS: FIRST_BEAMS, TARGET: "", LINKS: "", GOLD: NO_GOLD}.items():
        state.setdefault(key, value)


def open_direction(direction: str) -> None:
    """Go to a direction with its own models and its first example."""
    state = st.session_state
    state[DIRECTION], state[MODELS] = direction, list(first_choice(direction))
    state[GOLD], state[TARGET], state[LINKS] = NO_GOLD, "", ""
    state[DECODING] = "greedy"
    open_text(first_text(direction, state[MODELS]))


def open_text(text: str) -> None:
    """Put a sentence into the box; what was said of another one no longer counts."""
    state = st.session_state
    leave_pair()
    state[TEXT] = text
    if state.get(DECODING) == "forced":
        state[DECODING], state[TARGET] = "greedy", ""
    state[LINKS] = ""


def first_text(direction: str, models: list[str]) -> str:
    """The text that opens with a direction: its first example, else one that the first model can read."""
    if examples := examples_of(direction):
        return examples[0].text
    small = [small_model(name) for name in models]
    own = (text_of(name) or (each.text if each is not None else "") for name, each in zip(models, small, strict=True))
    # Letters of a small alphabet make no sentence.
    plain = "" if None not in small else examples_of(next(iter(DIRECTIONS)))[0].text
    return next(filter(None, own), plain)


def first_visit() -> dict[str, str]:
    """The address of a first visit."""
    direction = next(iter(DIRECTIONS))
    examples = examples_of(direction)
    return Wish(direction, first_choice(direction), examples[0].text, "greedy", FIRST_BEAMS, "").address


def arrive(arriving: Arrival) -> None:
    """Set the controls to what an address asks for, as far as it can be had."""
    state = st.session_state
    open_direction(arriving.choice("direction", directions(), directions()[0], "direction"))
    direction = state[DIRECTION]
    state[MODELS] = _models_asked_for(arriving, offered(direction)) or list(first_choice(direction))
    state[TEXT] = first_text(direction, state[MODELS])
    state[DECODING] = arriving.choice("decoding", tuple(DECODINGS), "greedy", "decoding")
    state[BEAMS] = arriving.number("beams", 2, MOST_BEAMS, FIRST_BEAMS, "The number of beams")
    arrive_at_gold(arriving, direction)
    for name, text in _texts(arriving, direction).items():
        state[TEXTS[name]] = text
    if state[GOLD] == PAIR and not _is_of_pair(direction):
        state[GOLD] = NO_GOLD
    if (gone := next(filter(None, map(own_models.why_gone, _names_in(arriving))), None)) is not None:
        # Its direction, its example and its sentence are gone with it, which needs no sentences of their own.
        arriving.remarks[:] = [f"{gone}."]


def _models_asked_for(arriving: Arrival, there: tuple[str, ...]) -> list[str]:
    asked = _names_in(arriving)
    found = [name for name in asked if name in there]
    if missing := [name for name in asked if name not in found]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        arriving.remarks.append(f"There is no model {missing[0][:QUOTED]}{more} for this direction here: left out.")
    if len(found) > MOST_SIDE_BY_SIDE:
        arriving.remarks.append(f"The page shows {MOST_SIDE_BY_SIDE} models side by side: the others are left out.")
    return found[:MOST_SIDE_BY_SIDE]


def _names_in(arriving: Arrival) -> list[str]:
    return list(dict.fromkeys(filter(None, (arriving.get("models") or "").split(_SEPARATOR))))


def _texts(arriving: Arrival, direction: str) -> dict[str, str]:
    """The texts of an address, by their names: of a link, of this browser session, of the example it names."""
    linked, number = links.texts_of(arriving, IN_LINKS), arriving.get(own_texts.NUMBER)
    own, asked = own_texts.remembered(number), arriving.get("example")
    example = next((each for each in examples_of(direction) if each.slug == asked), None)
    if asked is not None and example is None:
        arriving.remarks.append(f"There is no example {asked[:QUOTED]} in this direction.")
    if number is not None and own is None:
        shown = "the first example is shown instead" if example is None else "the example is shown without them"
        arriving.remarks.append(_NO_TEXT.format(shown))
    found = {**({} if example is None else {"text": example.text}), **linked, **(own or {})}
    return {name: text for name, text in found.items() if name in TEXTS}


def _is_of_pair(direction: str) -> bool:
    """Whether the texts of the page are those of the gold pair that is chosen."""
    pair, state = pair_of(direction), st.session_state
    return pair is not None and (state[TEXT], state[TARGET]) == pair
