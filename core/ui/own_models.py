"""The models of this browser session alone: trained or uploaded here, deleted with it, and closed to everybody else."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.models import catalogue
from core.models.finding.bases import BESIDE
from core.models.folders import folders_below_roots
from core.models.quoting import INVISIBLE
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS
from core.ui import resources
from core.ui.words import BRING_AGAIN

if TYPE_CHECKING:
    from core.models.pool import ModelPool

# Names of hub models that this session asked for, which all sessions may open.
ADDED = "added_models"
# The oldest is let go of when there are more.
MOST_KEPT = 20
# What the Training page calls its models, with the number that `add` may have put behind.
_TRAINED = re.compile(rf"({'|'.join(TASKS)})-({'|'.join(ARCHITECTURES)})-\d{{1,6}}( \(\d{{1,6}}\))?")
# Put behind the name of a model that was brought by its files: so a link says what became of it.
_BROUGHT = " (own)"
_OF_BROUGHT = re.compile(rf".{{1,120}}{re.escape(_BROUGHT)}( \(\d{{1,6}}\))?")
LONGEST_NAME = 60
_NUMBER = re.compile(r" \(\d{1,6}\)$")
# Whether that session has ended is its own business.
_ELSEWHERE = "another browser session, that of another tab or of this one before a reload, and is not here"
_KEPT, _GIVEN, _CLOSERS, _CHOSEN = "own_models", "names_of_own_models", "closers_of_own_models", "choices_of_own_models"
REMOVES = (
    "Close this model and delete the copy that Headlight made of it. Your own files, what came on the Models page and "
    "other models stay; opening it again takes the same steps."
)


def add(name: str, folder: Path, close: Callable[[], None] | None = None, chosen: str = "") -> str:
    """Offer the model in a folder to this session, and return the name that it goes by.

    The folder, with all that is in it, belongs to the session from now on and is deleted with it: by `close` where one
    is given, which may be called more than once. A name that something else has, or had in this session, gets a number.
    chosen: what was chosen for it, in a few words, which tell it apart from others of that name.
    """
    given: tuple[str, ...] = st.session_state.get(_GIVEN, ())
    called = _free(name, {*given, *_names_of_others()})
    kept = {called: folder, **_kept()}
    let_go = partial(_let_go, resources.models(), folder, close)
    closers = {**_closers(), called: let_go}
    st.session_state[_KEPT], st.session_state[_GIVEN], st.session_state[_CLOSERS] = kept, (*given, called), closers
    st.session_state[_CHOSEN] = {**st.session_state.get(_CHOSEN, {}), called: chosen}
    resources.session().at_end(let_go)
    for old in list(kept)[MOST_KEPT:]:
        remove(old)
    return called


def remove(name: str) -> None:
    """Close one of this session's own models and delete its files; nothing happens for any other name."""
    kept, closers = dict(_kept()), dict(_closers())
    folder = kept.pop(name, None)
    let_go = closers.pop(name, None)
    st.session_state[_KEPT], st.session_state[_CLOSERS] = kept, closers
    if let_go is not None:
        let_go()
    elif folder is not None:
        _let_go(resources.models(), folder)


def take_back(name: str) -> None:
    """Let go of a model that nobody has seen yet, so that its name is free again."""
    remove(name)
    st.session_state[_GIVEN] = tuple(other for other in st.session_state.get(_GIVEN, ()) if other != name)


def brought(name: str) -> str:
    """What a model is called that was brought by its files, from a name that anybody may have typed.

    Such a name is short, in one line, and without what separates names in an address.
    """
    seen = "".join("-" if char in ",;/\\" else char if _is_seen(char) else " " for char in name)
    plain = " ".join(seen.split())[:LONGEST_NAME].strip()
    return f"{plain or 'model'}{_BROUGHT}"


def _is_seen(char: str) -> bool:
    return char.isprintable() and char not in INVISIBLE


def names() -> tuple[str, ...]:
    """Names of this session's own models, the latest first."""
    return tuple(_kept())


def chosen_of(name: str) -> str:
    """What was chosen for one of this session's own models, in a few words; "" for any other name."""
    return str(st.session_state.get(_CHOSEN, {}).get(name, "")) if name in _kept() else ""


def label_of(name: str) -> str:
    """A name as lists show it: with what was chosen, where two of this session's own differ in a number alone."""
    alike = [other for other in _kept() if _NUMBER.sub("", other) == _NUMBER.sub("", name)]
    chosen = chosen_of(name) if len(alike) > 1 else ""
    return f"{name} · {chosen}" if chosen else name


def folder_of(name: str) -> Path | None:
    """The folder of one of this session's own models; None for any other name."""
    return _kept().get(name)


def was_brought(name: str) -> bool:
    """Whether a name is that of a model of this session which was brought by its files, not trained here."""
    return name in _kept() and _OF_BROUGHT.fullmatch(name) is not None


def is_gone(name: str) -> bool:
    """Whether a name is that of a model which a browser session trained or brought, and which is not here."""
    return why_gone(name) is not None


def why_gone(name: str) -> str | None:
    """Where a model is which a browser session trained or brought and which is not here, and what to do.

    The sentence has no full stop, so that whoever tells it can say what is used instead. None for every other name.
    """
    if name in _kept():
        return None
    if _TRAINED.fullmatch(name):
        return f"{name} was trained in {_ELSEWHERE}: train it again, or open its download"
    if _OF_BROUGHT.fullmatch(name):
        return f"{name} was opened in {_ELSEWHERE}: {BRING_AGAIN}"
    return None


def _kept() -> dict[str, Path]:
    kept: dict[str, Path] = st.session_state.get(_KEPT, {})
    return kept


def _closers() -> dict[str, Callable[[], None]]:
    closers: dict[str, Callable[[], None]] = st.session_state.get(_CLOSERS, {})
    return closers


def _names_of_others() -> tuple[str, ...]:
    listed = tuple(listing.entry.name for listing in catalogue())
    return (*listed, *folders_below_roots(), *st.session_state.get(ADDED, ()))


def _free(name: str, taken: set[str]) -> str:
    numbered = (name if number == 1 else f"{name} ({number})" for number in range(1, len(taken) + 2))
    return next(each for each in numbered if each not in taken)


def _let_go(pool: ModelPool, folder: Path, close: Callable[[], None] | None = None) -> None:
    pool.close(folder)
    # An adapter's base may have been opened by itself, to be compared with.
    pool.close(folder / BESIDE)
    if close is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        close()
