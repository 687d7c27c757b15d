"""The models of this browser session alone: trained or uploaded here, deleted with it, and closed to everybody else."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.models import catalogue
from core.models.folders import folders_below_roots
from core.training.settings import ARCHITECTURES
from core.training.tasks import TASKS
from core.ui import resources

if TYPE_CHECKING:
    from core.models.pool import ModelPool

# Names of hub models that this session asked for, which all sessions may open.
ADDED = "added_models"
# The oldest is let go of when there are more.
MOST_KEPT = 20
# What the Training page calls its models, with the number that `add` may have put behind.
_TRAINED = re.compile(rf"({'|'.join(TASKS)})-({'|'.join(ARCHITECTURES)})-\d{{1,6}}( \(\d{{1,6}}\))?")
_KEPT, _GIVEN = "own_models", "names_of_own_models"


def add(name: str, folder: Path) -> str:
    """Offer the model in a folder to this session, and return the name that it goes by.

    The folder, with all that is in it, belongs to the session from now on and is deleted with it. A name that
    something else has, or had in this session, gets a number.
    """
    given: tuple[str, ...] = st.session_state.get(_GIVEN, ())
    called = _free(name, {*given, *_names_of_others()})
    kept = {called: folder, **_kept()}
    session, pool = resources.session(), resources.models()
    for old in list(kept)[MOST_KEPT:]:
        _let_go(pool, kept.pop(old))
    st.session_state[_KEPT], st.session_state[_GIVEN] = kept, (*given, called)
    session.at_end(partial(_let_go, pool, folder))
    return called


def names() -> tuple[str, ...]:
    """Names of this session's own models, the latest first."""
    return tuple(_kept())


def folder_of(name: str) -> Path | None:
    """The folder of one of this session's own models; None for any other name."""
    return _kept().get(name)


def is_gone(name: str) -> bool:
    """Whether a name is that of a model which the Training page made in a browser session, and which is not here."""
    return _TRAINED.fullmatch(name) is not None and name not in _kept()


def _kept() -> dict[str, Path]:
    kept: dict[str, Path] = st.session_state.get(_KEPT, {})
    return kept


def _names_of_others() -> tuple[str, ...]:
    listed = tuple(listing.entry.name for listing in catalogue())
    return (*listed, *folders_below_roots(), *st.session_state.get(ADDED, ()))


def _free(name: str, taken: set[str]) -> str:
    numbered = (name if number == 1 else f"{name} ({number})" for number in range(1, len(taken) + 2))
    return next(each for each in numbered if each not in taken)


def _let_go(pool: ModelPool, folder: Path) -> None:
    pool.close(folder)
    shutil.rmtree(folder, ignore_errors=True)
