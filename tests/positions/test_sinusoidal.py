"""Sinusoids keep the identities that make them positions."""

import math

import pytest
import torch

from core.positions import SCHEMES, Settings
from core.positions.measures import similarity, wavelengths
from core.positions.sinusoidal import frequencies, sinusoids
from tests.sentences import refused

DISTANCES = [1, 2, 4, 8, 16, 32, 64, 128, 512]
# Products of rows that far apart, divided by what a row has with itself, of two widths.
MEASURED = {
    64: [0.966, 0.884, 0.748, 0.700, 0.605, 0.611, 0.435, 0.284, 0.185],
    512: [0.973, 0.905, 0.768, 0.723, 0.631, 0.562, 0.485, 0.406, 0.276],
}


def table(width: int, length: int = 600) -> torch.Tensor:
    return sinusoids(torch.arange(length, dtype=torch.float64), width)


def test_even_columns_are_sines_and_odd_ones_cosines() -> None:
    assert table(8)[3, 2].item() == pytest.approx(math.sin(3 * 10_000 ** (-2 / 8)))
    assert table(8)[3, 3].item() == pytest.approx(math.cos(3 * 10_000 ** (-2 / 8)))


@pytest.mark.parametrize("width", [2, 64, 512])
def test_every_row_has_the_same_length(width: int) -> None:
    torch.testing.assert_close(table(width).square().sum(-1), torch.full((600,), width / 2, dtype=torch.float64))


@pytest.mark.parametrize("width", [64, 512])
def test_products_depend_on_the_distance_alone(width: int) -> None:
    products = table(width) @ table(width).T
    of_distance = torch.arange(600.0, dtype=torch.float64)[:, None] * frequencies(width, like=table(width))
    by_distance = of_distance.cos().sum(-1)
    apart = (torch.arange(600)[:, None] - torch.arange(600)).abs()
    torch.testing.assert_close(products, by_distance[apart], atol=2e-12, rtol=0)


@pytest.mark.parametrize(("width", "expected"), MEASURED.items())
def test_normalised_products_are_the_measured_ones(width: int, expected: list[float]) -> None:
    rows = table(width)
    products = rows[0] @ rows.T / (width / 2)
    assert products[DISTANCES].tolist() == pytest.approx(expected, abs=6e-4)


def test_wavelengths_run_from_two_pi_to_the_base() -> None:
    found = wavelengths(frequencies(64))
    assert found[[0, 1, -1]].tolist() == pytest.approx([6.28, 8.38, 47_117], rel=1e-3)


def test_the_encoding_adds_the_matrix() -> None:
    encoding = SCHEMES["sinusoidal"].encoding(width=64, heads=4, length=1, causal=False)
    added = encoding.add(torch.zeros(2, 30, 64))
    torch.testing.assert_close(added, SCHEMES["sinusoidal"].matrix(30, 64).expand(2, 30, 64), atol=5e-6, rtol=0)


def test_an_odd_width_leaves_out_the_last_cosine() -> None:
    assert SCHEMES["sinusoidal"].matrix(4, 7).shape == (4, 7)


def test_a_step_is_a_rotation_of_every_pair() -> None:
    """PE(p + k) = R_k PE(p), R_k block-diagonal and the same for every p."""
    rows, step = table(64), 7
    turns = step * frequencies(64, like=rows)
    blocks = [torch.tensor([[turn.cos(), turn.sin()], [-turn.sin(), turn.cos()]]).double() for turn in turns]
    torch.testing.assert_close(rows[:-step] @ torch.block_diag(*blocks).T, rows[step:], atol=1e-12, rtol=0)


@pytest.mark.parametrize(("width", "expected"), MEASURED.items())
def test_similarity_by_distance_is_the_normalised_product(width: int, expected: list[float]) -> None:
    settings = Settings(length=513, width=width)
    found = SCHEMES["sinusoidal"].by_distance(settings)
    assert found.what == "similarity"
    assert found.values[0, 512 + torch.tensor(DISTANCES)].tolist() == pytest.approx(expected, abs=6e-4)
    torch.testing.assert_close(found.values, similarity(SCHEMES["sinusoidal"].thing(settings), 512).values)
    assert torch.equal(found.values, found.values.flip(1))


def test_similarity_does_not_fall_at_every_step() -> None:
    values = SCHEMES["sinusoidal"].by_distance(Settings(length=33, width=64)).values[0, 32:]
    assert values[32] > values[16]


def test_the_base_sets_the_longest_wavelength() -> None:
    found = SCHEMES["sinusoidal"].frequencies(Settings(width=64, base=500.0))
    assert found is not None
    assert wavelengths(found)[-1].item() == pytest.approx(2 * math.pi * 500 ** (62 / 64))


def test_an_odd_width_has_no_similarity_of_the_distance_alone() -> None:
    odd = Settings(length=200, width=3, base=100.0)
    with refused("width of 3", "choose an even width"):
        SCHEMES["sinusoidal"].by_distance(odd)
    found = similarity(SCHEMES["sinusoidal"].thing(odd), 3)
    assert found.low is not None
    assert found.high is not None
    assert bool((found.high - found.low)[[0, 1, 2, 4, 5, 6]].gt(1e-3).all())
