"""Words of the Positions page that no browser and no model is needed for."""

from __future__ import annotations

import pytest
import torch

from core.positions import SCHEMES
from core.positions.objects import Bias, Buckets, OffsetVectors, Rotation, Table
from core.positions.settings import Settings
from core.ui.positions.order_words import SPACE, joined
from core.ui.positions.scheme_figures import spread
from core.ui.positions.sides import formula_side, ranges


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
    from core.ui.positions.scheme_figures import shown_of

    side = formula_side("sinusoidal", Settings())
    assert side is not None
    assert isinstance(side.thing, Table)
    cut = shown_of(side.thing, 16)
    assert isinstance(cut, Table)
    assert cut.values.shape == (16, 64)
    assert cut.frequencies is side.thing.frequencies
    torch.testing.assert_close(cut.values, side.thing.values[:16])
