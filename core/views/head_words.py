"""What is known of one head in words: its measures beside those of uniform attention, and facts about its layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.capture.kept import NO_TOKEN
from core.heads.blocks import row_blocks
from core.views.words import head_count, require_head, share_words, special_words

if TYPE_CHECKING:
    from core.capture import Trace
    from core.heads import Measures, Survey
    from core.views.view import View

# Heads of a group that a fact names by their numbers.
MOST_NAMED = 7


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
    write, unit          how its number is written
    of_mean              what a table that shows the mean over the heads adds to the explanation
    most                 its largest possible value, given the uniform one and the number of keys
    """

    field: str
    name: str
    title: str
    short: str
    write: Callable[[float], str]
    unit: str
    explanation: str
    of_mean: str
    most: Callable[[float, int], float]

    def words(self, value: float) -> str:
        return f"{self.write(value)}{self.unit}"


def _one(uniform: float, keys: int) -> float:
    return 1.0


_AVERAGED = "averaged over all queries"
_OVER_HEADS = "Here the mean over the heads."
_MEASURES = (
    _Measure(
        "entropy", "Entropy", "entropy", "entropy", "{:.2f}".format, " nats",
        f"How spread out a query's weights are, {_AVERAGED}: 0 when all weight is on one key, the uniform value when "
        "it is spread evenly.",
        "Here the mean of the heads' entropies, not the entropy of their mean map.",
        lambda uniform, keys: uniform,
    ),
    _Measure(
        "distance", "Mean distance", "mean distance", "distance", "{:.1f}".format, " tokens",
        "How far a query is from the tokens it attends to, averaged by weight and then over all queries.",
        _OVER_HEADS,
        lambda uniform, keys: keys - 1,
    ),
    _Measure(
        "first", "On the first token", "first token", "first", share_words, "",
        f"The weight of the first token, {_AVERAGED}. A head that puts much of it there, whatever the text, is said to "
        "have an attention sink.",
        _OVER_HEADS,
        _one,
    ),
    _Measure(
        "previous", "On the previous token", "previous token", "previous", share_words, "",
        "The weight that a query puts on the token before it, averaged over the queries that have one.",
        _OVER_HEADS,
        _one,
    ),
    _Measure(
        "next", "On the next token", "next token", "next", share_words, "",
        "The weight that a query puts on the token after it, averaged over the queries that have one.",
        _OVER_HEADS,
        _one,
    ),
    _Measure(
        "special", "On special tokens", "special tokens", "special", share_words, "",
        f"The weight of all tokens that the model's template adds, such as [CLS] and [SEP], {_AVERAGED}.",
        _OVER_HEADS,
        _one,
    ),
    _Measure(
        "own", "On the own token", "own token", "own", share_words, "",
        f"The weight that a query puts on itself, {_AVERAGED}.",
        _OVER_HEADS,
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
        explained = measure.explanation if view.head is not None else f"{measure.explanation} {measure.of_mean}"
        share, uniform_share = (min(1.0, part / most) if most > 0 else 0.0 for part in (value, uniform))
        rows.append(
            MeasureRow(measure.name, measure.words(value), measure.words(uniform), share, uniform_share, explained)
        )
    return rows


def measured(trace: Trace, view: View) -> str:
    """Whose measures a table of them holds."""
    if view.head is not None:
        return f"head {view.head}"
    return f"mean over {head_count(trace, view)} heads: the mean of the heads' entropies, not that of their mean map"


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
            parts.append(f"{measure.short} {measure.write(value)}")
        else:
            uniform = measure.write(_uniform(measures, measure))
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
        (special_words(trace, survey.stream), "Tokens that the model read, special ones included."),
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
    sets = len(set(groups))
    if sets == len(groups):
        return []
    meaning = "Some heads read the same keys and values, each with queries of its own: grouped-query attention."
    if view.head is None:
        return [(f"{len(groups)} heads share {sets} set{'' if sets == 1 else 's'} of keys and values", meaning)]
    others = [head for head, group in enumerate(groups) if group == groups[view.head] and head != view.head]
    return [(f"shares its keys and values with {_heads_named(others, len(groups))}", meaning)] if others else []


def _heads_named(heads: list[int], count: int) -> str:
    """Heads of a layer by their numbers. heads: at least one; count: heads of the layer."""
    if len(heads) == count - 1 > MOST_NAMED:
        return f"all {len(heads)} other heads"
    if len(heads) > MOST_NAMED:
        return f"{len(heads)} other heads between {heads[0]} and {heads[-1]}"
    named = ", ".join(map(str, heads[:-1]))
    return f"heads {named} and {heads[-1]}" if named else f"head {heads[0]}"


def _sink_facts(trace: Trace, view: View) -> list[tuple[str, str]]:
    if not trace.has_sink(view.layer, view.stream):
        return []
    share = _sink_share(trace, view)
    what = "these heads give" if view.head is None else "this head gives"
    rest = trace.rest(view.layer, view.stream)
    such = ", such as to a sink of the model's own" if rest == NO_TOKEN else ""
    return [(f"{share_words(share)} on {rest}", f"Weight that {what} to {rest}{such}, averaged over all queries.")]


def _sink_share(trace: Trace, view: View) -> float:
    heads = range(head_count(trace, view)) if view.head is None else [view.head]
    queries, keys = len(trace.queries(view.stream)), len(trace.keys(view.stream))
    total = sum(
        float(trace.sink_share(view.layer, list(heads), view.stream, block).sum())
        for block in row_blocks(queries, keys, len(heads))
    )
    return total / max(1, queries * len(heads))
