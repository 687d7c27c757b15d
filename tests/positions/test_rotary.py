"""Rotary positions: products depend on the distance alone, lengths stay, and pairs may be ordered either way."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.positions.rotary import (
    FORMULA,
    angles,
    by_distance,
    halves_first,
    rotated,
    rotated_halves,
    thing,
)
from core.positions.settings import LAYOUTS, Settings

WIDTH = 16
Turn = Callable[[Tensor, Tensor], Tensor]


@pytest.fixture
def vectors() -> torch.Tensor:
    return torch.randn(2, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def turned(vector: torch.Tensor, place: float) -> torch.Tensor:
    return rotated(vector[None], angles(torch.tensor([place], dtype=torch.float64), WIDTH))[0]


def test_halves_are_neighbours_in_another_order() -> None:
    """Exactly, for any shape (..., T, D)."""
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(2, 3, 20, WIDTH, generator=generator)
    by = SCHEMES["rotary"].matrix(20, WIDTH)
    order = halves_first(WIDTH)
    assert order.tolist() == [*range(0, WIDTH, 2), *range(1, WIDTH, 2)]
    assert torch.equal(rotated(vectors, by)[..., order], rotated_halves(vectors[..., order], by))


@pytest.mark.parametrize("turn", [rotated, rotated_halves])
@pytest.mark.parametrize("settings", [Settings(width=WIDTH), Settings(width=WIDTH, scaling="yarn", base=500.0)])
def test_either_layout_keeps_lengths_and_sees_distances_alone(turn: Turn, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(2)
    query, key = torch.randn(2, 1, WIDTH, dtype=torch.float64, generator=generator).expand(2, 50, WIDTH)
    by = torch.arange(50, dtype=torch.float64)[:, None] * thing(settings).frequencies
    queries, keys = turn(query, by), turn(key, by)
    torch.testing.assert_close(queries.norm(dim=-1), query.norm(dim=-1))
    scores = queries @ keys.T
    torch.testing.assert_close(scores[1:, 1:], scores[:-1, :-1], atol=1e-13, rtol=0)


@pytest.mark.parametrize("shift", [1, 40, 1000])
def test_products_depend_on_the_distance_alone(vectors: torch.Tensor, shift: int) -> None:
    query, key = vectors
    near = turned(query, 9) @ turned(key, 4)
    far = turned(query, 9 + shift) @ turned(key, 4 + shift)
    torch.testing.assert_close(near, far, atol=1e-12, rtol=0)
    assert (near - turned(query, 9) @ turned(key, 5)).abs() > 1e-3


def test_lengths_stay(vectors: torch.Tensor) -> None:
    torch.testing.assert_close(turned(vectors[0], 123).norm(), vectors[0].norm())


def test_the_library_pairs_halves_and_gives_the_same_up_to_an_order(vectors: torch.Tensor) -> None:
    order = [*range(0, WIDTH, 2), *range(1, WIDTH, 2)]
    by = angles(torch.tensor([5.0, 5.0], dtype=torch.float64), WIDTH)
    doubled = torch.cat([by, by], dim=-1)[None]
    halves = vectors[:, order][None, None]
    theirs, _ = apply_rotary_pos_emb(halves, halves, doubled.cos(), doubled.sin())
    assert torch.equal(rotated(vectors, by)[:, order], theirs[0, 0])


def test_the_encoding_turns_every_head_by_the_matrix() -> None:
    encoding = SCHEMES["rotary"].encoding(width=4 * WIDTH, heads=4, length=1, causal=True)
    heads = torch.randn(2, 4, 30, WIDTH)
    expected = rotated(heads, SCHEMES["rotary"].matrix(30, WIDTH))
    torch.testing.assert_close(encoding.rotate(heads), expected, atol=1e-5, rtol=0)
    assert torch.equal(encoding.rotate(heads)[:, :, 0], heads[:, :, 0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_formula_says_how_it_turns(layout: str) -> None:
    rotation = thing(Settings(width=8, base=100.0, layout=layout, trained=512))
    assert rotation.plain.tolist() == pytest.approx([1, 100**-0.25, 0.1, 100**-0.75])
    assert rotation.frequencies is rotation.plain
    assert (rotation.width, rotation.layout, rotation.scaling, rotation.factor) == (8, layout, "none", 1.0)
    assert (rotation.trained, rotation.temperature, rotation.base) == (512, 1.0, 100.0)


def test_a_scaled_formula_holds_the_frequencies_before_and_after() -> None:
    rotation = thing(Settings(scaling="linear", factor=8.0))
    assert torch.equal(rotation.frequencies, rotation.plain / 8)
    assert (rotation.scaling, rotation.factor, rotation.plain.dtype) == ("linear", 8.0, torch.float64)


def test_similarity_falls_with_the_distance_as_published() -> None:
    found = by_distance(Settings(length=513, width=64))
    assert (found.what, found.values.shape, found.offsets.tolist()) == ("similarity", (1, 1025), [*range(-512, 513)])
    at = {k: round(float(found.values[0, 512 + k]), 3) for k in (0, 1, 2, 4, 8, 16, 32, 64, 128, 512)}
    assert list(at.values()) == [1, 0.966, 0.884, 0.748, 0.700, 0.605, 0.611, 0.435, 0.284, 0.185]
    assert torch.equal(found.values, found.values.flip(-1))


def test_similarity_is_the_product_of_ones_that_were_turned() -> None:
    settings = Settings(length=40, width=WIDTH, scaling="ntk")
    by = torch.arange(40, dtype=torch.float64)[:, None] * thing(settings).frequencies
    turned = rotated_halves(torch.ones(40, WIDTH, dtype=torch.float64), by)
    torch.testing.assert_close(by_distance(settings).values[0, 39:], (turned @ turned[0] / WIDTH).float())


def test_every_symbol_of_the_formula_is_in_it() -> None:
    marks = [mark for symbol, words in FORMULA.symbols if words for mark in symbol.split(r",\ ")]
    assert all(mark in FORMULA.latex for mark in marks)


def test_one_position_has_one_distance() -> None:
    assert by_distance(Settings(length=1)).values.tolist() == [[1.0]]


@pytest.mark.parametrize("ask", [thing, by_distance])
def test_a_formula_of_odd_width_is_refused_in_words(ask: Callable[[Settings], object]) -> None:
    with pytest.raises(HeadlightError, match="a width of 63 has one left over: choose an even width"):
        ask(Settings(width=63))


def test_a_head_of_odd_width_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="width 5 have one left over"):
        SCHEMES["rotary"].encoding(width=20, heads=4, length=1, causal=True)
