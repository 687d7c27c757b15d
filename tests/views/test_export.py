"""Downloads keep labels letter for letter, run in no spreadsheet, and refuse what was rounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.heads import survey
from core.views import (
    View,
    head_map_figure,
    head_view_figure,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    text_figure,
)
from core.views.export import guarded, unguarded
from tests.views.traces import archive, random_trace, renamed, table


def test_repeated_unknown_and_hostile_labels_come_back_letter_for_letter(trace, surveyed):
    figure = heatmap_figure(trace, View("self", 0, 0), surveyed)
    labels = trace.tokens.labels
    assert {"猫", "<", "script", "="} <= set(labels)
    assert tuple(archive(figure.npz())["queries"]) == labels
    assert tuple(table(figure.csv())["key"][: len(labels)]) == labels
    assert figure.csv().startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("formula", ["=1+1", "=HYPERLINK(1)", "+1", "-2+3", "@SUM(1)", "＝1", "'=1", "''+1"])
def test_no_cell_begins_as_a_formula_does(formula: str):
    assert guarded(formula) == f"'{formula}"


@pytest.mark.parametrize("label", ["=", "-", "'s", "'", "cat", "", "'=", "−", "#1"])
def test_what_no_spreadsheet_runs_stays_as_it_is(label: str):
    assert guarded(label) == label


@given(st.text(alphabet="'=+-@a＝", max_size=6) | st.text())
def test_a_guarded_label_can_always_be_read_back(label: str):
    cell = guarded(label)
    assert unguarded(cell) == label
    assert len(cell) < 2 or cell[0] not in "=+-@＝＋－＠"


def test_a_run_kept_in_sixteen_bits_is_drawn_and_marked_but_never_exported():
    trace = random_trace(6, causal=True, exact=False)
    surveyed, view = survey(trace, "self"), View("self", 0, 0)
    for figure in (
        overview_figure(trace, surveyed, view),
        heatmap_figure(trace, view, surveyed),
        head_view_figure(trace, view),
        text_figure(trace, view, 2, None),
        query_key_figure(trace, view, 2),
        head_map_figure(trace, surveyed, view),
    ):
        assert "kept in 16 bits" in figure.caption
        for build in (figure.csv, figure.npz):
            with pytest.raises(HeadlightError, match="kept in 16 bits"):
                build()


def test_file_names_are_safe():
    trace = random_trace(3, causal=False)
    figure = heatmap_figure(renamed(trace, "../a b/<x>"), View("self", 0, 0), survey(trace, "self"))
    assert figure.stem == "..-a-b-x-_self_layer0_head0"
