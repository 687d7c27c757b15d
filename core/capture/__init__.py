"""Attention out of a running model, without changing what it computes.

`record(model)` keeps the queries and keys of each attention call; `Trace` computes weights from them on demand.
Importing this package wraps the library's own "sdpa" attention function; an idle wrapper only calls it.
"""

from core.capture.call import AttentionCall
from core.capture.interface import install
from core.capture.recording import Recording, record
from core.capture.trace import Check, Output, Provenance, Trace, check_of

__all__ = ["AttentionCall", "Check", "Output", "Provenance", "Recording", "Trace", "check_of", "record"]

install()
