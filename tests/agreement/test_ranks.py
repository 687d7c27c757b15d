"""Rank agreement against brute force, known values and chance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.agreement import chance_sd, critical_tau
from core.agreement.ranks import compare, overlap

# methods.md 2.1: standard deviation of tau, and the smallest |tau| with p <= .05.
KNOWN = {5: (0.41, 1.0), 6: (0.36, 0.87), 8: (0.29, 0.64), 10: (0.25, 0.51), 15: (0.19, 0.39), 20: (0.16, 0.33)} | {
    30: (0.13, 0.26), 50: (0.10, 0.19), 100: (0.07, 0.13), 200: (0.05, 0.09)
}  # fmt: skip
numbers = st.lists(st.integers(0, 5), min_size=3, max_size=9)


@pytest.mark.parametrize("n", KNOWN)
def test_chance_is_as_wide_as_known(n: int):
    sd, critical = KNOWN[n]
    assert chance_sd(n) == pytest.approx(sd, abs=0.006)
    assert critical_tau(n) == pytest.approx(critical, abs=0.006)


@pytest.mark.parametrize("n", [5, 7, 12, 25])
def test_the_critical_tau_is_the_first_that_scipy_calls_significant(n: int):
    pairs = n * (n - 1) // 2
    critical = critical_tau(n)
    for tau, significant in ((critical, True), (critical - 2 / pairs, False)):
        assert (exact_p(n, tau) <= 0.05) == significant


def exact_p(n: int, tau: float) -> float:
    """SciPy's exact p of an order with so many discordant pairs, made by moving words forward."""
    discordant = round((1 - tau) * n * (n - 1) / 4)
    order, left = list(range(n)), discordant
    for word in range(1, n):
        moves = min(word, left)
        order.insert(word - moves, order.pop(word))
        left -= moves
    found = stats.kendalltau(range(n), order, method="exact")
    assert found.statistic == pytest.approx(tau)
    return float(found.pvalue)


def test_four_words_can_never_be_significant():
    assert math.isnan(critical_tau(4))
    assert math.isnan(critical_tau(1))


def brute_tau(x: list[int], y: list[int]) -> float:
    signs = [(np.sign(a - c), np.sign(b - d)) for (a, b), (c, d) in itertools.combinations(zip(x, y, strict=True), 2)]
    score = sum(a * b for a, b in signs)
    return score / math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))


@given(numbers, st.randoms(use_true_random=False))
def test_tau_is_tau_b_with_ties(values: list[int], random):
    other = [random.randint(0, 5) for _ in values]
    found = compare(np.array(values, float), np.array(other, float))
    if len(set(values)) == 1 or len(set(other)) == 1:
        assert math.isnan(found.tau)
        assert found.reason
    else:
        assert found.tau == pytest.approx(brute_tau(values, other))
        assert found.rho == pytest.approx(stats.spearmanr(values, other).statistic)


def test_the_top_is_corrected_for_chance():
    x = np.arange(10.0)
    assert overlap(x, x, 3).kappa == 1
    assert overlap(x, x, 3).overlap == 1
    assert overlap(x, -x, 3).overlap == 0
    shuffles = [np.random.default_rng(seed).permutation(10).astype(float) for seed in range(4000)]
    assert np.mean([overlap(x, other, 3).kappa for other in shuffles]) == pytest.approx(0, abs=0.02)


def test_ties_at_the_edge_of_the_top_count_by_their_chance():
    x, y = np.array([3.0, 1, 1, 1, 0]), np.array([9.0, 8, 7, 6, 5])
    # The first word is in both; the second place of x is one of three, of which y has one.
    assert overlap(x, y, 2).overlap == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.parametrize(("n", "expected"), [(5, 0.48), (10, 0.30), (18, 0.19), (30, 0.12)])
def test_two_special_tokens_would_make_strangers_agree(n: int, expected: float):
    draws = np.random.default_rng(0)
    taus = []
    for _ in range(600):
        x, y = (np.concatenate([draws.random(n), 2 + draws.random(2)]) for _ in range(2))
        taus.append(compare(x, y).tau)
    assert 4 * n / ((n + 1) * (n + 2)) == pytest.approx(expected, abs=0.006)
    assert np.mean(taus) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(("n", "padding", "expected"), [(10, 10, 0.69), (18, 46, 0.84)])
def test_padding_would_make_strangers_agree(n: int, padding: int, expected: float):
    draws = np.random.default_rng(0)
    taus = []
    for _ in range(300):
        x, y = (np.concatenate([draws.random(n), np.zeros(padding)]) for _ in range(2))
        taus.append(compare(x, y).tau)
    assert n * padding / (math.comb(n, 2) + n * padding) == pytest.approx(expected, abs=0.006)
    assert np.mean(taus) == pytest.approx(expected, abs=0.02)


def test_one_word_has_no_order():
    found = compare(np.array([1.0]), np.array([2.0]))
    assert math.isnan(found.tau)
    assert "One word" in found.reason


def test_scores_that_are_equal_but_for_rounding_order_nothing():
    quarters = np.array([np.float32(0.1) * 2.5, 0.25, np.nextafter(np.float32(0.25), np.float32(1)), 0.25])
    found = compare(quarters, np.arange(4.0))
    assert math.isnan(found.tau)
    assert "same score" in found.reason
    assert compare(np.array([0.25, 0.25, 0.2501, 0.25]), np.arange(4.0)).reason == ""
