"""What all browser sessions share in one server: open models, the queues of the devices, the store of results."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.jobs import Queues, Store

if TYPE_CHECKING:
    from core.models.pool import ModelPool

# Shares of this machine's memory. What is larger than all results together would be made again in each rerun, so the
# bound is generous; a run that fits into no memory is refused before.
MODELS_SHARE = 2
RESULTS_SHARE = 4


@dataclass(frozen=True)
class Session:
    """One browser session and what it holds of the shared things."""

    name: str
    queues: Queues
    results: Store
    _endings: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)

    def at_end(self, ending: Callable[[], None]) -> None:
        """Have something else that this session holds let go with it, the latest first, in whichever thread ends it."""
        self._endings.callback(ending)

    def end(self) -> None:
        """Stop its runs and forget its results, its texts among them, and then all that asked to end with it."""
        self.queues.cancel_owner(self.name)
        self.results.drop(lambda key: isinstance(key, tuple) and key[0] == self.name)
        self._endings.close()


@st.cache_resource(show_spinner=False)
def models() -> ModelPool:
    """The open models, in at most half of this machine's memory."""
    from core.models.pool import ModelPool

    return ModelPool(_memory() // MODELS_SHARE)


@st.cache_resource(show_spinner=False)
def queues() -> Queues:
    """One fair queue for each device."""
    return Queues()


@st.cache_resource(show_spinner=False)
def results() -> Store:
    """The latest results of all browser sessions, in at most a quarter of the memory.

    Each key starts with the session it belongs to.
    """
    return Store(_memory() // RESULTS_SHARE)


@st.cache_resource(show_spinner=False, scope="session", on_release=Session.end)
def session() -> Session:
    """The browser session of this run; when its tab is gone for good, what it holds is let go."""
    context = get_script_run_ctx()
    return Session(context.session_id if context else "no browser", queues(), results())


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
