"""Where the answers of the forms are kept: through reruns and other pages, until another upload takes their place."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from core.errors import HeadlightError
from core.jobs.job import Cancelled

if TYPE_CHECKING:
    from core.models.finding import Candidate

T = TypeVar("T")

# Candidates whose answers are kept, the latest first; those of older ones are forgotten.
MOST_SLOTS = 8
_SLOTS = "slots_of_forms"
# The end of the names under which uploaded vocabularies are kept: what gave them, and their folder.
FILES = "-vocabulary-files"


def slot_of(key: str, candidate: Candidate) -> str:
    """What the keys of a candidate's forms begin with: answers of another one under the same key are forgotten."""
    told = (str(candidate.root), candidate.name, candidate.kind, *map(str, candidate.weights), len(candidate.tensors))
    slot = f"{key}-{blake2b(repr(told).encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"
    slots: tuple[str, ...] = st.session_state.get(_SLOTS, ())
    if slot not in slots:
        kept = [other for other in slots if not other.startswith(f"{key}-")][: MOST_SLOTS - 1]
        for other in set(slots) - set(kept):
            _forget(other)
        st.session_state[_SLOTS] = (slot, *kept)
    return slot


def slots_under(key: str) -> tuple[str, ...]:
    """The slots of candidates that came with a key, the latest first."""
    slots: tuple[str, ...] = st.session_state.get(_SLOTS, ())
    return tuple(slot for slot in slots if slot.rpartition("-")[0] == key)


def once(slot: str, name: str, of: object, make: Callable[[], T]) -> T:
    """What `make` returned or raised as HeadlightError for `of`, kept while `of` stays equal."""
    place = f"{slot}-kept-{name}"
    kept = st.session_state.get(place)
    if kept is None or kept[0] != of:
        kept = st.session_state[place] = (of, _made(make))
    made: T | HeadlightError = kept[1]
    if isinstance(made, HeadlightError):
        raise HeadlightError(str(made))
    return made


def part(name: str) -> str:
    """A name out of a config as a part of a key. Styles know cards' heads by “_head”, which no field may have."""
    return name.replace("_", "-")


def _made(make: Callable[[], T]) -> T | HeadlightError:
    try:
        return make()
    except Cancelled:
        raise
    except HeadlightError as error:
        return error


def _forget(slot: str) -> None:
    for name in [name for name in st.session_state if str(name).startswith(f"{slot}-")]:
        held = st.session_state.pop(name)
        if str(name).endswith(FILES):
            held[1].close()
