"""What all browser sessions share in one server: open models, the queues of the devices, the store of results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import streamlit as st

from core.jobs import Queues, Store

if TYPE_CHECKING:
    from core.models.pool import ModelPool

RESULT_BYTES = 1 << 30


@st.cache_resource(show_spinner=False)
def models() -> ModelPool:
    """The open models, in at most half of this machine's memory."""
    from core.models.pool import ModelPool

    return ModelPool(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


@st.cache_resource(show_spinner=False)
def queues() -> Queues:
    """One fair queue for each device."""
    return Queues()


@st.cache_resource(show_spinner=False)
def results() -> Store:
    """The latest results of all browser sessions; each key starts with the session it belongs to."""
    return Store(RESULT_BYTES)
