"""Whatever an address asks for, each value is taken or falls back with a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ui.arrival import Arrival, whole_number


def arrival(**parameters: str) -> Arrival:
    return Arrival({name: (value,) for name, value in parameters.items()})


@pytest.mark.parametrize("asked", ["-1", "257", "1e3", "inf", "nan", "", "²", "٣", " 3", "3 ", "<b>", "9" * 5000])
def test_what_is_no_number_in_range_falls_back_with_a_sentence(asked: str):
    arriving = arrival(top=asked)
    assert arriving.number("top", 0, 256, 6, "The number") == 6
    assert len(arriving.remarks) == 1
    assert len(arriving.remarks[0]) < 120


@pytest.mark.parametrize("asked", ["-0.1", "1.5", "inf", "nan", "x", "", "0." + "1" * 50])
def test_what_is_no_real_number_in_range_falls_back_with_a_sentence(asked: str):
    arriving = arrival(above=asked)
    assert arriving.real("above", 0, 1, 0.02, "The weight") == 0.02
    assert len(arriving.remarks) == 1


def test_what_is_absent_falls_back_silently():
    arriving = Arrival({})
    assert arriving.number("top", 0, 9, 6, "The number") == 6
    assert arriving.real("above", 0, 1, 0.02, "The weight") == 0.02
    assert arriving.choice("scale", ("a", "b"), "b", "scale") == "b"
    assert arriving.place("query", 5, "query") is None
    assert arriving.heads("heads", 4) is None
    assert not arriving.flag("words", "Merging")
    assert arriving.remarks == []


def test_a_repeated_parameter_counts_once_and_is_said():
    arriving = Arrival({"layer": ("1", "2")})
    assert arriving.get("layer") == "2"
    assert arriving.remarks == ["The address gives layer 2 times: the last one counts."]


def test_heads_that_a_layer_lacks_are_left_out_and_said():
    arriving = arrival(heads="0,3,99,x")
    assert arriving.heads("heads", 12) == (0, 3)
    assert arriving.remarks == ["Not all heads of “0,3,99,x” are in this layer, which has 0 to 11."]


def test_no_head_at_all_can_be_asked_for():
    assert arrival(heads="").heads("heads", 12) == ()


@given(st.text())
def test_a_number_is_read_only_from_plain_digits(text: str):
    found = whole_number(text)
    assert found is None or (text.isascii() and text.isdigit() and found == int(text))
