"""Attention out of a running model, without changing what it computes.

`prepare(network, probe)` settles after loading how its attention is seen: through the library's attention interface
or, where a model computes attention itself, by watching torch. `record(network)` keeps each attention call of a run,
by its queries and keys where possible; `Trace` computes weights from them on demand.
Importing this package wraps the library's own "sdpa" attention function; an idle wrapper only calls it.
"""

from core.capture.call import AttentionCall
from core.capture.changes import HeadChange, changed
from core.capture.detail import QueryKeyDetail
from core.capture.families import capturable, has_attention
from core.capture.gradients import record_gradients
from core.capture.interface import install
from core.capture.kept import Call
from core.capture.next_tokens import NextToken, NextTokens, likeliest_next
from core.capture.output import NUMBER, SIGMOID, SOFTMAX, Output, shares_of
from core.capture.paths import path_of
from core.capture.prepare import prepare
from core.capture.query_key import query_key_detail
from core.capture.recording import Recording, record
from core.capture.row_blocks import install as install_row_blocks
from core.capture.trace import Check, Provenance, Trace, check_of
from core.capture.word_weights import WordWeights, word_weights

__all__ = [
    "NUMBER",
    "SIGMOID",
    "SOFTMAX",
    "AttentionCall",
    "Call",
    "Check",
    "HeadChange",
    "NextToken",
    "NextTokens",
    "Output",
    "Provenance",
    "QueryKeyDetail",
    "Recording",
    "Trace",
    "WordWeights",
    "capturable",
    "changed",
    "check_of",
    "has_attention",
    "likeliest_next",
    "path_of",
    "prepare",
    "query_key_detail",
    "record",
    "record_gradients",
    "shares_of",
    "word_weights",
]

install()
install_row_blocks()
