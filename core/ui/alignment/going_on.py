"""What one model would have said after another word: the words that its text is made to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.ui import own_texts
from core.ui.alignment.state import PREFIX
from core.ui.alignment.wish import Wish
from core.ui.arrival import QUOTED, Arrival, whole_number

MOST = 256
_LARGEST = 10**6
_SEPARATOR, _CHOSEN = ".", "*"


@dataclass(frozen=True)
class GoingOn:
    """prefix: token ids that the model's text begins with. wish: what was asked for when that was chosen.

    own: places in it of the tokens that somebody chose; the others are the model's own, kept before those.
    """

    model: str
    prefix: tuple[int, ...]
    wish: Wish
    own: tuple[int, ...]

    @property
    def written(self) -> str:
        """The prefix as an address has it: a sign stands behind what was chosen, but for the last, which always was."""
        marked = set(self.own) - {len(self.prefix) - 1}
        return _SEPARATOR.join(
            f"{token}{_CHOSEN if place in marked else ''}" for place, token in enumerate(self.prefix)
        )


def going_on(wish: Wish) -> GoingOn | None:
    """What is chosen for one of the models, as long as sentence and decoding are those that it was chosen for."""
    found = st.session_state.get(PREFIX)
    if not isinstance(found, GoingOn):
        return None
    same = (found.wish.text, found.wish.decoding, found.wish.beams, found.wish.target) == (
        wish.text, wish.decoding, wish.beams, wish.target,
    )  # fmt: skip
    return found if same and found.model in wish.models else None


def take_alternative(wish: Wish, model: str, written: Sequence[int], value: Any) -> None:
    """Another token was clicked: {step, id}. written: the ids that the model wrote or was made to say.

    It comes from a browser: what does not fit is passed over.
    """
    step, token = (value.get(name) if isinstance(value, dict) else None for name in ("step", "id"))
    if type(step) is int and type(token) is int and 0 <= step <= min(len(written), MOST - 1) and 0 <= token < _LARGEST:
        before = going_on(wish)
        kept = before.own if before is not None and before.model == model else ()
        own = (*(place for place in kept if place < step), step)
        st.session_state[PREFIX] = GoingOn(model, (*written[:step], token), wish, own)


def go_back() -> None:
    """Let the model write its own words again; to be called as a callback."""
    st.session_state.pop(PREFIX, None)


def arrive_at_prefix(arriving: Arrival, wish: Wish) -> None:
    """Set it to what an address asks for: in plain numbers, or remembered with the texts of the reader's own."""
    go_back()
    remembered = own_texts.remembered(arriving.get(own_texts.NUMBER)) or {}
    text, model = remembered.get("prefix") or arriving.get("prefix"), arriving.get("begins")
    if text is None and model is None:
        return
    parts = (text or "").split(_SEPARATOR, MOST)
    ids = [whole_number(part.removesuffix(_CHOSEN)) for part in parts]
    if None in ids or len(ids) > MOST or model not in wish.models:
        told = text if model in wish.models else model
        arriving.remarks.append(f"The address names no words to begin with in “{(told or '')[:QUOTED]}”: none are set.")
        return
    own = tuple(place for place, part in enumerate(parts) if part.endswith(_CHOSEN) or place == len(parts) - 1)
    st.session_state[PREFIX] = GoingOn(str(model), tuple(int(each) for each in ids if each is not None), wish, own)


def address_of(going_on: GoingOn | None, is_own: bool) -> dict[str, str]:
    """The parameters that ask for the same. is_own: whether the sentence is the reader's own, and so are the words."""
    if going_on is None:
        return {}
    return {"begins": going_on.model, **({} if is_own else {"prefix": going_on.written})}


def own_text_of(going_on: GoingOn | None, is_own: bool) -> dict[str, str]:
    """The words to begin with, where they belong to the texts of the reader's own."""
    return {"prefix": going_on.written} if going_on is not None and is_own else {}
