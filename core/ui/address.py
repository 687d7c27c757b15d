"""The address of the page: what is looked at lives there, so that a link, a reload or Back opens the same view.

An address is read when somebody arrives by it, that is on the first run of a browser session and after Back or
Forward; in between the page's controls decide, and the page writes what they say in one step, one entry in the
browser's history. An address without parameters means the view of a first visit. Each page has parameters of its own,
and going to another page by its link brings none: there, the controls stay as they were left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.ui.arrival import Arrival

# Who reads parameters, and of which page, by its path; None for those of every page.
READERS = {
    "talk": None,
    "view": "",
    "request": "",
    "selection": "",
    "training": "training",
    "alignment": "alignment",
    "alignment_view": "alignment",
    "alignment_step": "alignment",
    "saliency": "saliency",
    "positions": "positions",
    "models": "models",
}
# In an address on the way to another page: the path of that page. The page without a path has a file with this name.
_GOING, _FRONT = "going", "attention"
_VISITED = "address_was_read"
_PAGE = "page_of_address"
_ARRIVED = "parameters_of_arrival"
# What the browser's address says once it has all that it was sent. The parameters of a click may be older: it was made
# before the answer to the click before had arrived.
_TOLD = "address_as_told"
_PENDING = "address_parameters"
# What the run before was told that the address says; and at an arrival that and what it made the address say.
_BEFORE = "parameters_of_run_before"
_LEFT = "parameters_that_were_left"
# Whether no address started the run.
_BY_TAB = "run_without_arrival"


def notice_arrival() -> None:
    """To be called first in a run: keep the parameters if an address started it."""
    context = get_script_run_ctx()
    state, went_back = st.session_state, bool(context and context.is_history_navigation)
    if state.get(_VISITED) and not went_back:
        return
    if not state.get(_VISITED):
        state[_PENDING] = {reader: {} for reader in READERS}
    state[_VISITED] = True
    state[_LEFT] = (state.get(_BEFORE), state.get(_TOLD))
    state[_TOLD] = st.query_params.to_dict()
    state[_ARRIVED] = {name: tuple(st.query_params.get_all(name)) for name in st.query_params}
    state[_PENDING] |= dict.fromkeys(_readers_of(None), state[_ARRIVED])


def notice_page(page: str) -> None:
    """To be called once it is known which page is open: an arrival's parameters are for its readers. page: its path."""
    state = st.session_state
    arrived, other = state.pop(_ARRIVED, None), state.get(_PAGE, page) != page
    state[_BY_TAB] = arrived is None
    if arrived is not None and other and st.query_params.to_dict() in state[_LEFT]:
        # After Back to another page Streamlit tells the parameters of the page that was left, so they are no wish of
        # this one: its controls are as they were left, and say themselves what the address was.
        state[_TOLD] = {}
    elif arrived is not None:
        state[_PENDING] |= dict.fromkeys(_readers_of(page), arrived)
    elif other:
        state[_TOLD] = st.query_params.to_dict()
    state[_PAGE], state[_BEFORE] = page, st.query_params.to_dict()


def go(page: str, parameters: Mapping[str, str]) -> NoReturn:
    """Open a page, by its path, as if somebody arrived there by these parameters; no callback can do so.

    All the addresses on the way there are one entry in the browser's history, see going.js.
    """
    asked = {name: (value,) for name, value in parameters.items()}
    st.session_state[_PENDING] = st.session_state.get(_PENDING, {}) | dict.fromkeys(_readers_of(page), asked)
    st.switch_page(f"pages/{page or _FRONT}.py", query_params={**parameters, _GOING: page})


def is_new(page: str) -> bool:
    """Whether a page, by its path, was never open in this browser session and its address asks for nothing."""
    pending = st.session_state.get(_PENDING, {})
    return bool(st.session_state.get(_BY_TAB)) and all(pending.get(reader) == {} for reader in _readers_of(page))


def take(reader: str) -> Arrival | None:
    """The parameters of an arrival that this reader has not yet taken, else None.

    Each reader takes them once, in whichever run it gets to: a run may be stopped before its page is drawn.
    """
    parameters = st.session_state.get(_PENDING, {}).pop(reader, None)
    return None if parameters is None else Arrival(parameters)


def leave_out(reader: str, names: Collection[str]) -> None:
    """Keep parameters from a reader that has not taken them yet: they were of a text that is not here."""
    pending = st.session_state.get(_PENDING, {})
    if reader in pending:
        pending[reader] = {name: values for name, values in pending[reader].items() if name not in names}


def write(values: Mapping[str, str], first_visit: Mapping[str, str]) -> None:
    """Let the address say what is shown, unless it is empty and the view is that of a first visit."""
    told = st.session_state.get(_TOLD, {})
    if told == dict(values) or (not told and dict(values) == dict(first_visit)):
        return
    st.query_params.from_dict(dict(values))
    st.session_state[_TOLD] = dict(values)


def _readers_of(page: str | None) -> list[str]:
    return [reader for reader, of in READERS.items() if of == page]
