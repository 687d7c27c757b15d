"""The first moments of a fresh server: what takes seconds to import, under a bar that says so."""

from __future__ import annotations

import os
import sys
import time

import streamlit as st

from core.ui.progress import AT_ONCE

# An import keeps Python busy: until then the bar must be on its way to the browser.
SECONDS_TO_SEND = 0.1


def start() -> None:
    """Import what every page needs and the first one waits for; whoever calls this must not have imported it."""
    # The place is there in every run: without it all that stands below would move up in the second, and be built anew.
    slot = st.empty()
    if "torch" in sys.modules:
        return
    slot.progress(0.0, AT_ONCE[:1].upper() + AT_ONCE[1:])
    time.sleep(SECONDS_TO_SEND)
    # Read when torch is loaded: threads that wait for a core must not spin, or two runs at once slow each other down
    # many times over.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import core.views  # noqa: F401

    slot.empty()


@st.cache_resource(show_spinner=False)
def libraries() -> None:
    """Import what opens and trains models, once for all sessions.

    transformers fills in its names as they are asked for, and two threads must not make it do so at once.
    """
    import core.models.loading
    import core.training.prepare
    import core.training.saving
    import core.training.snapshots  # noqa: F401
