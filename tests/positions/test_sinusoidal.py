"""Sinusoids keep the identities that make them positions."""

import math

import pytest
import torch

from core.positions import SCHEMES
from core.positions.sinusoidal import frequencies, sinusoids


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


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (64, [0.966, 0.884, 0.748, 0.700, 0.605, 0.611, 0.435, 0.284, 0.185]),
        (512, [0.973, 0.905, 0.768, 0.723, 0.631, 0.562, 0.485, 0.406, 0.276]),
    ],
)
def test_normalised_products_are_the_measured_ones(width: int, expected: list[float]) -> None:
    rows = table(width)
    products = rows[0] @ rows.T / (width / 2)
    assert products[[1, 2, 4, 8, 16, 32, 64, 128, 512]].tolist() == pytest.approx(expected, abs=6e-4)


def test_a_step_turns_each_pair_by_its_own_angle() -> None:
    rows, step = table(64), 7
    sines, cosines = rows[:, 0::2], rows[:, 1::2]
    angles = step * frequencies(64, like=rows)
    turned = sines[:-step] * angles.cos() + cosines[:-step] * angles.sin()
    torch.testing.assert_close(turned, sines[step:], atol=1e-12, rtol=0)


def test_wavelengths_run_from_two_pi_to_the_base() -> None:
    wavelengths = 2 * math.pi / frequencies(64)
    assert wavelengths[[0, 1, -1]].tolist() == pytest.approx([6.28, 8.38, 47_117], rel=1e-3)


def test_the_encoding_adds_the_matrix() -> None:
    encoding = SCHEMES["sinusoidal"].encoding(width=64, heads=4, length=1, causal=False)
    added = encoding.add(torch.zeros(2, 30, 64))
    torch.testing.assert_close(added, SCHEMES["sinusoidal"].matrix(30, 64).expand(2, 30, 64), atol=5e-6, rtol=0)


def test_an_odd_width_leaves_out_the_last_cosine() -> None:
    assert SCHEMES["sinusoidal"].matrix(4, 7).shape == (4, 7)
