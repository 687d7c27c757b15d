"""Rows of a decoder: what was read stands beside them with what came next, and sentences say so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core import load
from core.capture import Trace
from core.heads import Filters, axis_of, survey
from core.heads.axes import axis_of_tokens
from core.text import Tokens
from core.views import (
    View,
    captions,
    head_view_figure,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    text_figure,
)
from core.views.payload import unpack
from core.views.shown import LONGEST_IN_NAME, MOST_NAMED, row_names
from core.views.words import row_words
from tests.views.traces import plain_tokens, random_trace, table
from tests.zoo.checkpoints import saved

NAMES = ["<s> → b", "b → a", "a → d", "d → </s>"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    folder = tmp_path_factory.mktemp("model")
    saved(folder, "TransformerForConditionalGeneration")
    return load(str(folder)).run("abc", target="bad")


def with_target(labels: tuple[str, ...], after: str | None = None) -> tuple[Trace, Tokens]:
    """A trace of which nothing is known but what its decoder read."""
    said = replace(plain_tokens(len(labels)), labels=labels)
    known = random_trace(3, causal=False)
    return Trace(known.tokens, (), known.provenance, known.output, {"cross": (said, known.tokens)}, after=after), said


def test_a_row_is_followed_by_the_token_that_came_next_whatever_the_model_would_have_written(told):
    for stream in ("cross", "decoder"):
        assert told.queries(stream).labels == ("<s>", "b", "a", "d")
        assert told.followed(stream) == ("b", "a", "d", "</s>")
        assert list(row_names(told, stream, axis_of(told, stream, "queries"))) == NAMES
    assert told.followed("encoder") == ()
    assert row_names(told, "encoder", axis_of(told, "encoder", "queries")) == ()


def test_a_model_that_writes_is_followed_by_what_it_wrote(tmp_path: Path):
    saved(tmp_path, "RecurrentForConditionalGeneration")
    trace = load(str(tmp_path)).run("abc", generate=4)
    read, followed = trace.queries("cross").labels, trace.followed("cross")
    assert followed[:-1] == read[1:]
    # Cut after four tokens, or at its end: the last one that it wrote was read, or is what follows.
    assert followed[-1] in (None, "</s>")


def test_names_stand_in_the_figures_and_exports_keep_the_single_tokens(told):
    view = View("cross", 1, 2)
    surveyed = survey(told, "cross")
    for figure in (heatmap_figure(told, view, surveyed), head_view_figure(told, view)):
        header, _ = unpack(figure.payload)
        assert (header["row_names"], header["row_labels"]) == (NAMES, ["<s>", "b", "a", "d"])
        assert set(table(figure.csv())["query"]) <= {"<s>", "b", "a", "d"}
    assert unpack(query_key_figure(told, view, 1).payload)[0]["query_labels"] == NAMES
    header, _ = unpack(heatmap_figure(told, View("encoder", 1, 2), survey(told, "encoder")).payload)
    assert "row_names" not in header


def test_hidden_special_tokens_leave_the_other_names_as_they_are(told):
    rows = axis_of(told, "cross", "queries", Filters(special="hide"))
    assert list(row_names(told, "cross", rows)) == NAMES[1:]


def test_words_and_many_rows_have_their_labels_alone():
    trace, said = with_target(("x",) * (MOST_NAMED + 1))
    assert row_names(trace, "cross", axis_of_tokens(said)) == ()
    assert len(row_names(trace, "cross", axis_of_tokens(said)[:MOST_NAMED])) == MOST_NAMED
    trace, said = with_target(("x", "y"))
    assert row_names(trace, "cross", axis_of_tokens(said, Filters(words=True))) == ()
    assert row_names(trace, "cross", axis_of_tokens(said)) == ("x → y", "y")


def test_long_tokens_are_cut_and_the_arrow_points_right_between_arabic_ones():
    trace, said = with_target(("internationalisation", "قط"), after="كلب")
    long, arabic = row_names(trace, "cross", axis_of_tokens(said))
    assert "internati… → " in long.replace("\u2069", "")
    assert len("internati…") == LONGEST_IN_NAME
    # One isolate from left to right, and in it each token in one of its own.
    assert arabic == "\u2066\u2068قط\u2069 → \u2068كلب\u2069\u2069"


def test_captions_and_hints_say_what_a_row_is_where_there_are_rows_of_a_decoder(told):
    view, surveyed = View("cross", 1, 2), survey(told, "cross")
    said = "each row is the token just read; with it the model predicts the next one"
    for figure in (
        heatmap_figure(told, view, surveyed),
        head_view_figure(told, view),
        text_figure(told, view, 1, None),
        query_key_figure(told, view, 1),
    ):
        assert said in figure.caption
    assert said not in overview_figure(told, surveyed, view).caption
    assert row_words(told, "encoder") == ""
    assert captions.rows_line(told, view, True) == "In row “b → a” the model has read b, and a comes next."
    assert captions.rows_line(told, view, False).startswith("A query is the token just read;")
    words = View("cross", 1, 2, filters=Filters(words=True))
    assert captions.rows_line(told, words, True).startswith("A query is the token just read;")
    assert captions.rows_line(told, View("encoder", 1, 2), True) == ""
