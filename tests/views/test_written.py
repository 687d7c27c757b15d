"""Where what a model wrote begins: after a prompt, after a special token, in a pair, and under filters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.capture import Trace
from core.heads import Filters, survey
from core.text import Tokens
from core.views import View, heatmap_figure
from core.views.payload import unpack
from core.views.words import counted
from core.views.written import written_from
from tests.views.traces import plain_tokens, trace_of, with_special_ends


def written_trace(tokens: Tokens, written: str | None) -> Trace:
    trace = trace_of(tokens, causal=True, layers=1)
    return Trace(tokens, trace._stream("self"), trace.provenance, replace(trace.output, written=written))


@pytest.mark.parametrize(("written", "start"), [("xxx", 5), ("x" * 8, 0), ("", None), (None, None), ("y", None)])
def test_it_begins_with_the_first_token_of_the_written_text(written: str | None, start: int | None):
    assert written_from(written_trace(plain_tokens(8), written), "self") == start


def test_a_written_end_token_counts_and_is_left_out_with_the_special_tokens():
    trace = written_trace(replace(with_special_ends(plain_tokens(8)), text="x" * 8), "xxx")
    assert counted(trace, "self") == "8 tokens, the last 3 tokens written by the model"
    assert counted(trace, "self", Filters(special="hide")) == "6 of 8 tokens, the last 2 tokens written by the model"


def test_behind_a_special_token_the_space_before_the_first_word_is_no_part_of_the_text():
    assert written_from(written_trace(plain_tokens(8), " xxx"), "self") == 5


def test_after_a_pair_it_begins_in_the_second_text():
    tokens = replace(
        plain_tokens(8), text="xxx", text_pair="xxxxx", sequences=(0,) * 3 + (1,) * 5,
        spans=((0, 1), (1, 2), (2, 3), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5)),
    )  # fmt: skip
    trace = written_trace(tokens, "xx")
    header, _ = unpack(heatmap_figure(trace, View("self", 0, 0), survey(trace, "self")).payload)
    assert header["row_breaks"] == header["col_breaks"] == [3, 6]


def test_one_token_is_said_to_be_one():
    assert counted(written_trace(plain_tokens(8), "x"), "self") == "8 tokens, the last token written by the model"


def test_among_words_it_begins_with_the_first_word_that_is_all_written():
    tokens = replace(plain_tokens(8), words=(0, 0, 1, 1, 1, 2, 2, 3))
    trace = written_trace(tokens, "xxxx")
    view = View("self", 0, 0, filters=Filters(words=True))
    assert unpack(heatmap_figure(trace, view, survey(trace, "self")).payload)[0]["row_breaks"] == [2]
    assert "8 tokens as 4 words, the last 4 tokens written by the model" in counted(trace, "self", view.filters)


def test_a_window_without_the_prompt_has_no_break():
    trace = written_trace(plain_tokens(1100), "x" * 900)
    for row, expected in ((0, [200]), (500, [])):
        figure = heatmap_figure(trace, View("self", 0, 0, row=row), survey(trace, "self"))
        assert unpack(figure.payload)[0]["row_breaks"] == expected
