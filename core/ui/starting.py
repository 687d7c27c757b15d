"""The first moments of a fresh server: what takes seconds to import, under a bar that says so."""

from __future__ import annotations

import logging
import os
import sys
import time
from threading import Thread

import streamlit as st
from streamlit import config

from core.errors import HeadlightError
from core.models.intake import limits, sweep
from core.models.intake.limits import VARIABLE
from core.ui.progress import AT_ONCE

# An import keeps Python busy: until then the bar must be on its way to the browser.
SECONDS_TO_SEND = 0.1
# What Streamlit counts uploads in, and how much a browser puts around a file at most, in the same unit.
UPLOAD_UNIT = 1 << 20
AROUND_A_FILE = 1
UPLOAD_OPTION = "server.maxUploadSize"
_log = logging.getLogger(__name__)


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


@st.cache_resource(show_spinner=False)
def make_ready() -> None:
    """Once in a server: let uploads be as large as they may, and delete what a server that was killed has left.

    Nobody waits for it, and what goes wrong is only told in the log: the Models page says it to whom it concerns.
    """
    try:
        allow_uploads()
    except HeadlightError as error:
        _log.warning("%s", error)
    Thread(target=_sweep, name="sweep of uploads", daemon=True).start()


def allow_uploads() -> None:
    """Let Streamlit take files as large as HEADLIGHT_UPLOAD_MB allows; without that, its own option holds.

    Raises HeadlightError as `core.models.intake.limits`.
    """
    allowed = -(-limits().nbytes // UPLOAD_UNIT) + AROUND_A_FILE
    if os.environ.get(VARIABLE) and allowed > config.get_option(UPLOAD_OPTION):
        config.set_option(UPLOAD_OPTION, allowed)


def _sweep() -> None:
    try:
        if count := sweep():
            _log.info("%d uploads that an ended server had left were deleted", count)
    except Exception:
        _log.exception("Old uploads could not be deleted")
