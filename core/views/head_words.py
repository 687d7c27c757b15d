"""What is known of one head in words: its measures beside those of uniform attention, and facts about its layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.heads.blocks import row_blocks
from core.views.words import counted, head_count, require_head

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Measures, Survey
    from core.views.view import View


@dataclass(frozen=True)
class MeasureRow:
    """One measure of a head, for a table.

    name            what is measured, in words
    value, uniform  in words, with a unit; what a head that spreads its weight evenly would have
    share           0 to 1, for a bar: the part of the largest value that is possible; uniform_share likewise
    explanation     a sentence on what the measure means
    """

    name: str
    value: str
    uniform: str
    share: float
    uniform_share: float
    explanation: str


@dataclass(frozen=True)
class _Measure:
    """A field of `Measures` in words.

    name, title, short   what it is called in a table, in a line, and where there is little room
    most                 its largest possible value, given the uniform one and the number of keys
    """

    field: str
    name: str
    title: str
    short: str
    digits: int
    unit: str
    explanation: str
    most: Callable[[float, int], float]

    def words(self, value: float) -> str:
        return f"{value:.{self.digits}f}{self.unit}"


def _one(uniform: float, keys: int) -> float:
    return 1.0


_AVERAGED = "averaged over all queries"
_MEASURES = (
    _Measure(
        "entropy", "Entropy", "entropy", "entropy", 2, " nats",
        f"How spread out a query's weights are, {_AVERAGED}: 0 when all weight is on one key, the uniform value when "
        "it is spread evenly.",
        lambda uniform, keys: uniform,
    ),
    _Measure(
        "distance", "Mean distance", "mean distance", "distance", 1, " tokens",
        f"How far from itself a query looks, {_AVERAGED} by weight.",
        lambda uniform, keys: keys - 1,
    ),
    _Measure(
        "first", "On the first token", "first token", "first", 2, "",
        f"The weight of the first token, {_AVERAGED}. Heads that have nothing to do often put their weight there: an "
        "attention sink.",
        _one,
    ),
    _Measure(
        "previous", "On the previous token", "previous token", "previous", 2, "",
        "The weight that a query puts on the token before it, averaged over the queries that have one.",
        _one,
    ),
    _Measure(
        "next", "On the next token", "next token", "next", 2, "",
        "The weight that a query puts on the token after it, averaged over the queries that may look at one.",
        _one,
    ),
    _Measure(
        "special", "On special tokens", "special tokens", "special", 2, "",
        f"The weight of all tokens that the model's template adds, such as [CLS] and [SEP], {_AVERAGED}.",
        _one,
    ),
    _Measure(
        "own", "On the own token", "own token", "own", 2, "",
        f"The weight that a query puts on itself, {_AVERAGED}.",
        _one,
    ),
)  # fmt: skip


def measure_rows(trace: Trace, survey: Survey, view: View) -> list[MeasureRow]:
    """All measures of a head, or their means over the heads; those that mean nothing here are left out.

    They count all tokens, whatever the view filters.
    """
    require_head(trace, view)
    measures, keys = survey.measures[view.layer], len(trace.keys(view.stream))
    rows = []
    for measure in _MEASURES:
        value, uniform = _value(measures, measure, view.head), _uniform(measures, measure)
        # Under uniform attention too there is nothing: no such token, or none that may be attended to.
        if math.isnan(value) or uniform == 0:
            continue
        most = measure.most(uniform, keys)
        share, uniform_share = (min(1.0, part / most) if most > 0 else 0.0 for part in (value, uniform))
        rows.append(
            MeasureRow(
                measure.name, measure.words(value), measure.words(uniform), share, uniform_share, measure.explanation
            )
        )
    return rows


def titles(measures: Measures, brief: bool) -> list[str]:
    """The measures of each head of a layer in one line, for a tooltip. brief: without the uniform values."""
    return [_title(measures, head, brief) for head in range(len(measures.entropy))]


def _title(measures: Measures, head: int, brief: bool) -> str:
    parts = []
    for measure in _MEASURES:
        value = _value(measures, measure, head)
        if math.isnan(value):
            continue
        if brief:
            parts.append(f"{measure.short} {value:.{measure.digits}f}")
        else:
            uniform = f"{_uniform(measures, measure):.{measure.digits}f}"
            parts.append(f"{measure.title} {measure.words(value)} (uniform {uniform})")
    return " · ".join(parts)


def _value(measures: Measures, measure: _Measure, head: int | None) -> float:
    values = getattr(measures, measure.field)  # (heads,)
    return float(values.mean() if head is None else values[head])


def _uniform(measures: Measures, measure: _Measure) -> float:
    return float(getattr(measures, f"uniform_{measure.field}"))


def head_facts(trace: Trace, survey: Survey, view: View) -> list[tuple[str, str]]:
    """Short facts about what is looked at, each with what it means: nothing but the token count for most heads."""
    require_head(trace, view)
    return [
        (counted(trace, survey.stream), "Tokens that the model read, special ones included."),
        *_kind_facts(trace, view),
        *_group_facts(trace, view),
        *_sink_facts(trace, view),
    ]


def _kind_facts(trace: Trace, view: View) -> list[tuple[str, str]]:
    kind = trace.kind(view.layer, view.stream)
    meaning = "This layer is limited to a part of the text; what lies outside is hatched in the maps."
    return [] if kind == "global" else [(kind, meaning)]


def _group_facts(trace: Trace, view: View) -> list[tuple[str, str]]:
    groups = trace.groups(view.layer, view.stream)
    if len(set(groups)) == len(groups):
        return []
    meaning = "Heads of one group read the same keys and values, each with queries of its own."
    if view.head is None:
        return [(f"{len(set(groups))} key-value groups", meaning)]
    return [(f"key-value group {groups[view.head]} of {len(set(groups))}", meaning)]


def _sink_facts(trace: Trace, view: View) -> list[tuple[str, str]]:
    if not trace.has_sink(view.layer, view.stream):
        return []
    share = _sink_share(trace, view)
    what = "these heads give" if view.head is None else "this head gives"
    return [(f"{share:.2f} on the sink", f"Weight that {what} to no token, averaged over all queries.")]


def _sink_share(trace: Trace, view: View) -> float:
    heads = range(head_count(trace, view)) if view.head is None else [view.head]
    queries, keys = len(trace.queries(view.stream)), len(trace.keys(view.stream))
    total = sum(
        float(trace.sink_share(view.layer, list(heads), view.stream, block).sum())
        for block in row_blocks(queries, keys, len(heads))
    )
    return total / max(1, queries * len(heads))
