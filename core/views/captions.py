"""The words under a figure: what it shows and how that is known."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from core.text import Note, notes_on

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Measures, Survey

STREAM_WORDS = {
    "self": "self-attention",
    "encoder": "encoder self-attention",
    "decoder": "decoder self-attention",
    "cross": "cross-attention",
    "pooling": "attention pooling",
}


def caption(trace: Trace, stream: str, where: str, how: str) -> str:
    """where: the layers and heads shown; how: scale, normalisation and whatever is left out."""
    parts = [trace.provenance.model, f"{STREAM_WORDS[stream]}, {where}", _counted(trace, stream), how, checked(trace)]
    rounded = None if trace.exact else "from queries and keys kept in 16 bits, not for export"
    return " · ".join(filter(None, [*parts, rounded, trace.provenance.remark]))


def checked(trace: Trace) -> str:
    """The check that proves the weights, in a few words."""
    return "; ".join(f"check A·V = O {_within(check.error)}" for check in trace.provenance.checks)


def provenance_line(trace: Trace, stream: str) -> str:
    """Where the numbers of a trace come from. stream: the one that is looked at."""
    p = trace.provenance
    calls, worst = sum(check.calls for check in p.checks), max(check.error for check in p.checks)
    parts = [
        p.model,
        f"weights {p.revision}",
        p.device,
        p.dtype,
        f"{trace.mask_name(stream)} attention through {p.backend}",
        f"checked in all {calls} attention layers, every head: weights × values (A·V) give the model's output (O) "
        f"{_within(worst)}" + (" of its largest value" if worst else ""),
        p.remark,
    ]
    return " · ".join(filter(None, parts))


def _within(error: float) -> str:
    return "to the bit" if error == 0 else f"within {error:.0e}"


def head_facts(trace: Trace, survey: Survey, layer: int, head: int) -> list[tuple[str, str]]:
    """Short facts about one head, each with what it means."""
    measures = survey.measures[layer]
    return [
        (_counted(trace, survey.stream), "Tokens that the model read, special ones included."),
        (
            entropy_words(float(measures.entropy[head]), measures.uniform_entropy),
            "How spread out a query's weights are, averaged over all queries: 0 when all weight is on one key, "
            "the value in brackets when it is spread evenly.",
        ),
        *_distance_facts(measures, head),
        (
            f"on the first token {measures.first[head]:.2f} (uniform {measures.uniform_first:.2f})",
            "The weight of the first token, averaged over all queries. Heads that have nothing to do often put their "
            "weight there: an attention sink.",
        ),
        *_layer_facts(trace, survey.stream, layer, head),
    ]


def _distance_facts(measures: Measures, head: int) -> list[tuple[str, str]]:
    words = distance_words(float(measures.distance[head]), measures.uniform_distance)
    meaning = (
        "How far from itself a query looks, averaged over all queries by weight; in brackets the value when the weight "
        "is spread evenly."
    )
    return [] if words is None else [(words, meaning)]


def reading_notes(trace: Trace) -> tuple[Note, ...]:
    """What must be known about how the text was read, and a target that was cut."""
    notes = notes_on(trace.tokens)
    if "decoder" in trace.streams and trace.queries("decoder").dropped:
        notes += notes_on(trace.queries("decoder"))
    return notes


def row_sums(trace: Trace, stream: str, layer: int) -> str:
    """What the weights of a row add up to, for a caption."""
    if trace.has_sink(layer, stream):
        return "rows sum to less than 1, the rest goes to the head's sink"
    return "each row sums to 1"


def _layer_facts(trace: Trace, stream: str, layer: int, head: int) -> list[tuple[str, str]]:
    """What is special about a layer or a head; nothing for an ordinary one."""
    facts = []
    if (kind := trace.kind(layer, stream)) != "global":
        facts.append((kind, "This layer is limited to a part of the text; what lies outside is hatched in the maps."))
    groups = trace.groups(layer, stream)
    if len(set(groups)) < len(groups):
        shared = f"key-value group {groups[head]} of {len(set(groups))}"
        facts.append((shared, "Heads of one group read the same keys and values, each with queries of its own."))
    if trace.has_sink(layer, stream):
        share = float(trace.sink_share(layer, [head], stream).mean())
        facts.append(
            (f"{share:.2f} on the sink", "Weight that this head gives to no token, averaged over all queries.")
        )
    return facts


def entropy_words(entropy: float, uniform: float) -> str:
    """The entropy of a head beside that of uniform attention, in nats."""
    return f"entropy {entropy:.2f} nats (uniform {uniform:.2f})"


def distance_words(distance: float, uniform: float) -> str | None:
    """The mean distance of a head beside that of uniform attention, in tokens; None between two texts."""
    return None if math.isnan(distance) else f"mean distance {distance:.1f} tokens (uniform {uniform:.1f})"


def file_stem(trace: Trace, *parts: str) -> str:
    """A file name that says what is in it, safe on every system."""
    return "_".join(re.sub(r"[^\w.-]+", "-", part) for part in (trace.provenance.model, *parts))


def _counted(trace: Trace, stream: str) -> str:
    queries, keys = len(trace.queries(stream)), len(trace.keys(stream))
    if queries != keys:
        return f"{queries} × {keys} tokens"
    return f"{queries} token{'' if queries == 1 else 's'}"
