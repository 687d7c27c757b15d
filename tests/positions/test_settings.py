"""Settings that no scheme can have get one sentence, and so do sizes that are too large to show."""

from typing import Any

import pytest

from core.positions import SCHEMES, Settings
from tests.sentences import refused


@pytest.mark.parametrize("name", ["length", "width", "heads", "trained", "buckets", "farthest", "clip"])
@pytest.mark.parametrize("number", [0, -3, 2.5, True, 1 << 40])
def test_a_count_is_a_whole_number_from_one_on(name: str, number: Any) -> None:
    with refused(f"The {name} of a positional scheme is a whole number from 1 to 16,777,216", str(number)):
        Settings(**{name: number})


@pytest.mark.parametrize(("length", "width"), [(4097, 1), (1 << 20, 64), (4000, 5000)])
def test_a_matrix_that_is_too_large_is_refused_before_it_is_worked_out(length: int, width: int) -> None:
    with refused(f"A length of {length:,} with a width of {width:,}", "too large to show"):
        SCHEMES["sinusoidal"].matrix(length, width)


def test_the_largest_length_is_taken() -> None:
    assert SCHEMES["alibi"].by_distance(Settings(length=4096)).values.shape == (8, 8191)


@pytest.mark.parametrize("base", [1.0, 0.0, -5.0, 1e13, float("inf"), float("nan")])
def test_a_base_is_above_one_and_not_huge(base: float) -> None:
    with refused("above 1 and up to 1,000,000,000,000", f"{base:g}"):
        Settings(base=base)


@pytest.mark.parametrize("factor", [0.5, 1e13, float("inf"), float("nan")])
def test_a_factor_is_at_least_one(factor: float) -> None:
    with refused("a number from 1"):
        Settings(factor=factor)


def test_more_heads_than_any_model_has_are_refused() -> None:
    with refused("1,025 heads"):
        Settings(heads=1025)


def test_an_unknown_layout_is_refused() -> None:
    with refused("interleaved or half-split"):
        Settings(layout="spiral")


@pytest.mark.parametrize("seed", [-1, 1 << 63, 0.5])
def test_a_seed_is_one_that_a_generator_takes(seed: Any) -> None:
    with refused("A seed"):
        Settings(seed=seed)


def test_zero_length_is_refused_by_every_scheme() -> None:
    for scheme in SCHEMES.values():
        with refused("length"):
            scheme.matrix(0)


def test_the_hugest_base_leaves_the_last_pair_standing_still() -> None:
    table = SCHEMES["sinusoidal"].matrix(100, 64, base=1e12)
    assert bool(table.isfinite().all())
    assert table[-1, -1].item() == pytest.approx(1, abs=1e-6)
