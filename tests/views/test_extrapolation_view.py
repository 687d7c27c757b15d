"""Loss and entropy beyond the training length, read from what shipped models were measured with."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import core.zoo
from core.training.evaluation.extrapolation import ENTROPY, LOSS, SHARE
from core.views import Twin, extrapolation_figure, trained_length, twin_of
from core.views.extrapolation_view import short_names
from core.views.line_ends import spread
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

WEIGHTS = Path(core.zoo.__file__).parent / "weights"
TABLES = {LOSS: {"1–16": 3.5, "17–32": 3.25}, ENTROPY: {"1–16": 1.0, "17–32": 2.0}, SHARE: {"1–16": 0.5, "17–32": 0.6}}
TOLD = {"tables": TABLES, "recipe": {"settings": {"positions": "rotary"}, "data": {"length": 16}}}


def test_the_tables_become_ranges_and_the_scheme_a_title():
    twin = twin_of("lm-x", TOLD)
    assert twin.loss == {(1, 16): 3.5, (17, 32): 3.25}
    assert twin.title.startswith("Rotary")
    assert twin_of("lm-x", TOLD, "mine").title == "mine"
    assert trained_length(TOLD) == 16


@pytest.mark.parametrize(
    "told",
    [
        {}, None, [], {"tables": None}, {"tables": {LOSS: {"1–16": 3}}},
        {"tables": TABLES | {LOSS: {"16–1": 3.0}}}, {"tables": TABLES | {LOSS: {"a": 3.0}}},
        {"tables": TABLES | {LOSS: {"1–16": math.nan}}}, {"tables": TABLES | {LOSS: {"1–16": "3"}}},
        {"tables": TABLES | {LOSS: {"0–16": 3.0}}}, {"tables": TABLES | {SHARE: [1]}},
    ],
)  # fmt: skip
def test_damaged_tables_are_no_twin(told):
    assert twin_of("x", told) is None
    assert trained_length(told) is None


def test_every_shipped_twin_is_drawn_in_both_panels():
    names = ("none", "sinusoidal", "learned", "relative", "rotary", "alibi")
    told = [json.loads((WEIGHTS / f"lm-{name}" / "training.json").read_text()) for name in names]
    twins = [twin_of(f"lm-{name}", each) for name, each in zip(names, told, strict=True)]
    plot = plot_of(extrapolation_figure(twins, 64))
    loss = [trace for trace in plot.data if trace.xaxis == "x"]
    assert len(loss) == 6
    assert len({(trace.line.color, trace.line.dash) for trace in loss}) == 6
    assert loss[5].y[-1] == pytest.approx(told[5]["tables"][LOSS]["449–512"])
    assert loss[5].x[-1] == pytest.approx(math.sqrt(449 * 512))
    assert plot.layout.xaxis.type == plot.layout.xaxis2.type == "log"
    assert {shape.x1 for shape in plot.layout.shapes if shape.type == "rect"} == {64.5}


def test_entropy_is_in_nats_or_a_share():
    twin = twin_of("lm-x", TOLD)
    nats, share = (plot_of(extrapolation_figure([twin], 16, each)).data for each in (False, True))
    assert list(nats[1].y) == [1.0, 2.0]
    assert list(share[1].y) == [0.5, 0.6]
    even = nats[2]
    assert list(even.y) == pytest.approx([math.log(x) for x in even.x])


def test_the_exports_hold_each_range():
    figure = extrapolation_figure([twin_of("lm-x", TOLD), twin_of("=y", TOLD)], 16)
    rows = table(figure.csv())
    assert rows["in_training"].tolist() == [True, False] * 2
    assert rows["model"].tolist() == ["lm-x"] * 2 + ["'=y"] * 2
    assert archive(figure.npz())["share_2"].tolist() == [0.5, 0.6]


def test_the_caption_says_on_what_it_was_measured_and_what_was_never_trained():
    learned = twin_of("lm-y", TOLD | {"recipe": {"settings": {"positions": "learned"}}})
    words = extrapolation_figure([twin_of("lm-x", TOLD), learned], 16).caption
    assert "one training run each · measured on at most 96 texts of 32 tokens that were not trained on" in words
    assert "rows of the learned table beyond 16 were never trained" in words
    assert "learned table" not in extrapolation_figure([twin_of("lm-x", TOLD)], 16).caption


def test_names_are_short_where_they_stay_apart():
    rotary, other = (twin_of("x", TOLD, title) for title in ("Rotary (RoPE)", "Rotary (x)"))
    assert short_names([rotary]) == ["Rotary"]
    assert short_names([rotary, other]) == ["Rotary (RoPE)", "Rotary (x)"]


def test_no_twin_is_drawn():
    assert plot_of(extrapolation_figure([], 64)).layout.height
    assert Twin("a", "b", {}, {}, {}).title == "b"


def test_names_at_line_ends_keep_apart_and_near():
    assert spread([0, 100], 16, 0, 200) == [0, 100]
    assert spread([50, 50, 50], 16, 0, 200) == [34, 50, 66]
    assert spread([199, 198], 16, 0, 200) == [200, 184]
    assert spread([], 16, 0, 200) == []
