"""Rotary positions: products depend on the distance alone, lengths stay, and pairs may be ordered either way."""

import pytest
import torch
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from core.errors import HeadlightError
from core.positions import SCHEMES
from core.positions.rotary import angles, rotated

WIDTH = 16


@pytest.fixture
def vectors() -> torch.Tensor:
    return torch.randn(2, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def turned(vector: torch.Tensor, place: float) -> torch.Tensor:
    return rotated(vector[None], angles(torch.tensor([place], dtype=torch.float64), WIDTH))[0]


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


def test_a_head_of_odd_width_is_refused_in_words() -> None:
    with pytest.raises(HeadlightError, match="width 5 have one left over"):
        SCHEMES["rotary"].encoding(width=20, heads=4, length=1, causal=True)
