"""The words under a figure: what it shows and how that is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Survey

STREAM_WORDS = {
    "self": "self-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
}


def caption(trace: Trace, stream: str, where: str, how: str) -> str:
    """where: the layers and heads shown; how: scale, normalisation and whatever is left out."""
    parts = [trace.provenance.model, f"{STREAM_WORDS[stream]}, {where}", _counted(trace, stream), how, checked(trace)]
    return " · ".join(parts)


def checked(trace: Trace) -> str:
    """The check that proves the weights, in a few words."""
    return "; ".join(f"check A·V = O holds within {check.error:.0e}" for check in trace.provenance.checks)


def provenance_line(trace: Trace) -> str:
    """Where the numbers of a trace come from."""
    p = trace.provenance
    calls = sum(check.calls for check in p.checks)
    parts = [
        p.model,
        f"weights {p.revision}",
        p.device,
        p.dtype,
        f"{p.mask} attention through {p.backend}",
        f"{checked(trace)} of the largest value, in all {calls} layers and every head",
    ]
    return " · ".join(parts)


def head_facts(trace: Trace, survey: Survey, layer: int, head: int) -> list[str]:
    """Short facts about one head, each beside its value under uniform attention."""
    measures = survey.measures[layer]
    return [
        _counted(trace, survey.stream),
        f"entropy {measures.entropy[head]:.2f} nats (uniform {measures.uniform_entropy:.2f})",
        f"mean distance {measures.distance[head]:.1f} tokens (uniform {measures.uniform_distance:.1f})",
    ]


def file_stem(trace: Trace, *parts: str) -> str:
    """A file name that says what is in it, safe on every system."""
    return "_".join(re.sub(r"[^\w.-]+", "-", part) for part in (trace.provenance.model, *parts))


def _counted(trace: Trace, stream: str) -> str:
    queries, keys = len(trace.queries(stream)), len(trace.keys(stream))
    if queries != keys:
        return f"{queries} × {keys} tokens"
    return f"{queries} token{'' if queries == 1 else 's'}"
