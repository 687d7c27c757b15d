import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Measures, measure
from tests.heads.hand_made import future, nothing_masked

NAMES = ("entropy", "distance", "first", "previous", "next", "special", "own")


def agree(found: Measures, head: int = 0) -> bool:
    """Whether a head measures as uniform attention does, each measure that means something."""
    pairs = [(float(getattr(found, name)[head]), getattr(found, f"uniform_{name}")) for name in NAMES]
    return all(mine == pytest.approx(uniform, abs=1e-5, nan_ok=True) for mine, uniform in pairs)


@pytest.mark.parametrize("n", [1, 2, 7, 64])
def test_uniform_attention_measures_as_its_own_yardstick(n: int) -> None:
    found = measure(torch.full((3, n, n), 1 / n), nothing_masked(n))
    assert found.entropy.tolist() == pytest.approx([math.log(n)] * 3, abs=1e-5)
    assert found.uniform_entropy == pytest.approx(math.log(n), abs=1e-5)
    # The mean of |i - j| over a square of n by n cells.
    assert found.uniform_distance == pytest.approx((n * n - 1) / (3 * n), abs=1e-4)
    assert found.distance.tolist() == pytest.approx([found.uniform_distance] * 3, abs=1e-4)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_head_that_looks_at_one_token_has_no_entropy(n: int) -> None:
    itself, first = torch.eye(n), torch.zeros(n, n)
    first[:, 0] = 1
    found = measure(torch.stack([itself, first]), nothing_masked(n))
    assert found.entropy.tolist() == [0, 0]
    assert found.distance.tolist() == pytest.approx([0, (n - 1) / 2])
    assert found.first.tolist() == pytest.approx([1 / n, 1])
    assert found.uniform_first == pytest.approx(1 / n)


def test_a_previous_token_head_looks_one_token_back() -> None:
    n = 6
    previous = torch.diag(torch.ones(n - 1), diagonal=-1)
    masked = future(n)
    masked[0] = True  # the first token has no previous one: a row that attends to nothing is left out
    found = measure(previous[None], masked)
    assert found.distance.tolist() == [1.0]
    assert found.entropy.tolist() == [0.0]


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_uniform_values_under_a_causal_mask_are_known(n: int) -> None:
    uniform = (~future(n)).float()
    found = measure((uniform / uniform.sum(-1, keepdim=True))[None], future(n))
    assert found.uniform_entropy == pytest.approx(math.lgamma(n + 1) / n, abs=1e-5)  # the mean of ln 1 .. ln n
    assert found.uniform_distance == pytest.approx((n - 1) / 4, abs=1e-5)  # the mean of i / 2
    assert found.entropy.tolist() == pytest.approx([found.uniform_entropy], abs=1e-5)
    assert found.distance.tolist() == pytest.approx([found.uniform_distance], abs=1e-5)
    assert found.uniform_first == pytest.approx(sum(1 / i for i in range(1, n + 1)) / n, abs=1e-5)


def test_a_rectangle_of_cross_attention_is_measured() -> None:
    found = measure(torch.full((2, 3, 5), 0.2), torch.zeros(3, 5, dtype=torch.bool))
    assert found.entropy.tolist() == pytest.approx([math.log(5)] * 2)


def test_dead_rows_do_not_enter_the_means() -> None:
    attention, masked = torch.full((1, 4, 4), 0.25), nothing_masked(4)
    attention[:, 1:3], masked[1:3] = 0, True
    found = measure(attention, masked)
    assert found.entropy.tolist() == pytest.approx([math.log(4)])
    assert found.uniform_entropy == pytest.approx(math.log(4))


@given(n=st.integers(1, 12), heads=st.integers(1, 4), seed=st.integers(0, 999), causal=st.booleans())
def test_no_head_is_more_spread_out_than_a_uniform_one(n: int, heads: int, seed: int, causal: bool) -> None:
    masked = future(n) if causal else nothing_masked(n)
    scores = torch.randn(heads, n, n, generator=torch.Generator().manual_seed(seed)) * 3
    found = measure(torch.softmax(scores.masked_fill(masked, -torch.inf), -1), masked)
    assert torch.all(found.entropy >= 0)
    assert torch.all(found.entropy <= found.uniform_entropy + 1e-5)
    assert torch.all(found.distance >= 0)
    assert torch.all(found.distance <= n - 1)
    assert found.entropy.dtype == found.distance.dtype == torch.float32


@given(n=st.integers(1, 12), special=st.sets(st.integers(0, 11)), seed=st.integers(0, 99), density=st.floats(0, 0.9))
def test_a_uniform_head_is_its_own_yardstick_in_every_measure(
    n: int, special: set[int], seed: int, density: float
) -> None:
    masked = torch.rand(n, n, generator=torch.Generator().manual_seed(seed)) < density
    visible = (~masked).float()
    uniform = visible / visible.sum(-1, keepdim=True).clamp_min(1)
    found = measure(uniform.expand(2, n, n), masked, special=[i in special for i in range(n)])
    assert agree(found, 0)
    assert agree(found, 1)


def test_each_neighbour_is_counted_where_there_is_one() -> None:
    n = 4
    itself = torch.eye(n)
    before, after = itself.roll(-1, 1), itself.roll(1, 1)  # the first looks at the last, and the last at the first
    found = measure(torch.stack([itself, before, after]), nothing_masked(n))
    assert found.own.tolist() == [1, 0, 0]
    assert found.previous.tolist() == [0, 1, 0]
    assert found.next.tolist() == [0, 0, 1]
    assert (found.uniform_previous, found.uniform_next, found.uniform_own) == (0.25, 0.25, 0.25)


def test_under_a_causal_mask_nothing_is_on_the_next_token() -> None:
    weights = (~future(3)).float() / torch.tensor([[1], [2], [3]])
    found = measure(weights[None], future(3))
    assert (found.next.tolist(), found.uniform_next) == ([0], 0)
    assert found.uniform_previous == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert found.uniform_own == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_the_weight_of_special_tokens_is_that_of_all_of_them() -> None:
    weights = torch.tensor([[[0.5, 0.25, 0.25], [0, 1.0, 0], [0.25, 0.5, 0.25]]])
    found = measure(weights, nothing_masked(3), special=[True, False, True])
    assert found.special.tolist() == pytest.approx([(0.75 + 0 + 0.5) / 3])
    assert found.uniform_special == pytest.approx(2 / 3)
    without = measure(weights, nothing_masked(3))
    assert (without.special.tolist(), without.uniform_special) == ([0], 0)


def test_between_two_texts_only_what_means_something_is_a_number() -> None:
    found = measure(torch.full((2, 3, 5), 0.2), nothing_masked(3, 5), same_tokens=False, special=[True] + [False] * 4)
    for name in ("distance", "previous", "next", "own"):
        assert getattr(found, name).isnan().all()
        assert math.isnan(getattr(found, f"uniform_{name}"))
    assert found.first.tolist() == found.special.tolist() == pytest.approx([0.2, 0.2])
    assert agree(found)


def test_one_token_has_no_neighbours() -> None:
    found = measure(torch.ones(1, 1, 1), nothing_masked(1))
    assert found.previous.isnan().all()
    assert found.next.isnan().all()
    assert found.own.tolist() == [1]
