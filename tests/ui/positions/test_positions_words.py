"""Words of the Positions page that no browser and no model is needed for."""

from __future__ import annotations

import math

import pytest
import torch

from core.positions import SCHEMES
from core.positions.alibi import FORMULA, FORMULA_BOTH_SIDES
from core.positions.cuts import cut, positions_held
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table
from core.positions.settings import Settings
from core.ui.positions.curves import spread
from core.ui.positions.deberta_versions import (
    CLIPPED,
    GROWING,
    VERSIONS,
    formula_of,
    is_clipped,
    terms_of,
    thing_of,
)
from core.ui.positions.order_words import SPACE, joined
from core.ui.positions.sides import formula_side, ranges
from core.ui.positions.trained import trained_of, words_of


def test_words_are_joined_as_their_script_writes_them():
    assert joined(("老", "鼠", "追", "猫")) == "老鼠追猫"
    assert joined(("the", "cat", "sat")) == joined(("the", f"{SPACE}cat", f"{SPACE}sat")) == "the cat sat"
    assert joined(("猫", "cat", "猫")) == "猫 cat 猫"


@pytest.mark.parametrize(
    ("numbers", "words"), [((0, 1, 2, 3, 4, 6), "0–4, 6"), ((3,), "3"), ((), ""), ((1, 0, 5, 4), "0–1, 4–5")]
)
def test_layers_are_named_in_few_words(numbers: tuple[int, ...], words: str):
    assert ranges(numbers) == words


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 64, 65, 4096])
def test_curves_are_of_dimensions_that_there_are_each_once(count: int):
    dims = spread(count)
    assert dims[0] == 0
    assert len(set(dims)) == len(dims) <= 5
    assert list(dims) == sorted(dims)
    assert dims[-1] < count


@pytest.mark.parametrize("scheme", sorted(set(SCHEMES) - {"none", "learned"}))
def test_a_formula_says_its_numbers_and_those_of_another_are_another_side(scheme: str):
    side = formula_side(scheme, Settings(length=32))
    other = formula_side(scheme, Settings(length=40))
    assert side is not None
    assert other is not None
    assert isinstance(side.thing, Table | Rotation | Bias | Buckets | OffsetVectors)
    assert "positions 32" in side.about.settings
    assert side.key != other.key


def test_a_table_that_is_cut_keeps_what_else_is_known_of_it():
    side = formula_side("sinusoidal", Settings())
    assert side is not None
    assert isinstance(side.thing, Table)
    short = cut(side.thing, 16)
    assert isinstance(short, Table)
    assert short.values.shape == (16, 64)
    assert short.frequencies is side.thing.frequencies
    torch.testing.assert_close(short.values, side.thing.values[:16])


def test_a_bias_that_is_cut_ends_at_the_last_position_that_is_shown():
    side = formula_side("alibi", Settings(length=40))
    assert side is not None
    assert isinstance(side.thing, Bias)
    short = cut(side.thing, 16)
    assert isinstance(short, Bias)
    torch.testing.assert_close(short.values, side.thing.values[:, 39 - 15 : 39 + 16])
    assert positions_held(short) == 16
    bucketed = cut(Bias(side.thing.values, False, (0, 1, 8, 30)), 16)
    assert isinstance(bucketed, Bias)
    assert bucketed.starts == (0, 1, 8)


def test_the_versions_of_deberta_read_the_rows_that_its_formulas_name():
    settings = Settings(length=24, clip=4, buckets=8, farthest=16)
    offsets = torch.arange(-23, 24)
    torch.testing.assert_close(thing_of(CLIPPED, settings).numbers, (4 - offsets).clamp(0, 7))
    grown = []
    for difference in (-offsets).tolist():
        away = abs(difference)
        grows = math.ceil(3 * math.log(max(away, 4) / 4) / math.log(15 / 4)) + 4
        row = difference if away <= 4 else math.copysign(min(8, grows), difference)
        grown.append(min(int(row) + 8, 15))
    assert thing_of(GROWING, settings).numbers.tolist() == grown
    assert is_clipped(thing_of(CLIPPED, settings))
    assert not is_clipped(thing_of(GROWING, settings))


@pytest.mark.parametrize("version", VERSIONS)
def test_terms_of_vectors_drawn_at_random_are_constant_where_offsets_share_a_row(version: str):
    settings = Settings(length=40, clip=4, buckets=4, farthest=16)
    found = terms_of(version, settings).content_to_position[0]  # (T, T)
    torch.testing.assert_close(found[39, :20], found[39, :1].expand(20))
    assert formula_of(version).symbols


def test_twins_were_trained_on_fewer_positions_than_their_configs_allow():
    assert trained_of("lm-rotary") == trained_of("lm-learned") == 64
    assert trained_of("sentiment-transformer") == 64
    assert trained_of("all-MiniLM-L6-v2") is trained_of("sentiment-minilm-lora") is trained_of("x") is None
    assert "64 tokens" in words_of(64, 512)
    assert words_of(512, 512) == words_of(None, 512) == words_of(64, None) == ""


def test_the_variant_of_alibi_for_both_sides_explains_its_symbols():
    marks = [mark for symbol, words in FORMULA_BOTH_SIDES.symbols if words for mark in symbol.split(r",\ ")]
    assert all(mark in FORMULA_BOTH_SIDES.latex for mark in marks)
    assert "ours" in FORMULA_BOTH_SIDES.source
    assert "ours" not in FORMULA.source
