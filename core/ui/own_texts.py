"""The reader's own texts of this browser session, so that Back finds the one that a view was of.

The address of such a view carries a number, never the text: what is typed stays out of the history of the browser and
of the logs of servers on the way.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

import streamlit as st

MOST_KEPT = 50
NUMBER = "own"
_KEPT = "own_texts"
_LARGEST = 10**9


def number_of(texts: Mapping[str, str]) -> str:
    """The number of these texts (by their names in an address), which are remembered from now on."""
    kept: dict[str, dict[str, str]] = st.session_state.get(_KEPT, {})
    # Drawn, not counted: a number of a session that has ended must not name a text of this one.
    number = next((known for known, own in kept.items() if own == texts), None) or str(secrets.randbelow(_LARGEST))
    latest = {**{known: own for known, own in kept.items() if known != number}, number: dict(texts)}
    st.session_state[_KEPT] = dict(list(latest.items())[-MOST_KEPT:])
    return number


def remembered(number: str | None) -> dict[str, str] | None:
    """The texts of a number, None where this session does not know it."""
    kept: dict[str, dict[str, str]] = st.session_state.get(_KEPT, {})
    return None if number is None else kept.get(number)
