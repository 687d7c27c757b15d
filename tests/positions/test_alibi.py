"""ALiBi's slopes and penalties."""

import pytest
import torch

from core.positions import SCHEMES, Settings
from core.positions.alibi import slopes
from core.positions.measures import window
from core.positions.objects import Bias
from core.positions.products import toeplitz


def test_slopes_of_a_power_of_two_halve() -> None:
    assert slopes(8).tolist() == [2.0**-power for power in range(1, 9)]
    assert slopes(16).log2().tolist() == pytest.approx([-power / 2 for power in range(1, 17)])
    assert slopes(1).tolist() == [2.0**-8]


def test_twelve_heads_take_those_of_eight_and_every_second_of_sixteen() -> None:
    assert torch.equal(slopes(12)[:8], slopes(8))
    assert slopes(12)[8:].tolist() == pytest.approx([0.7071, 0.3536, 0.1768, 0.0884], abs=5e-5)


@pytest.mark.parametrize("heads", range(1, 33))
def test_every_number_of_heads_has_as_many_different_slopes(heads: int) -> None:
    assert len(set(slopes(heads).tolist())) == heads
    assert bool((slopes(heads) > 0).all())


def bias_of(causal: bool, queries: int, keys: int) -> torch.Tensor:
    bias = SCHEMES["alibi"].encoding(width=64, heads=8, length=1, causal=causal).bias(queries, keys)
    assert bias is not None
    return bias


def test_the_penalty_grows_with_the_distance() -> None:
    bias = bias_of(causal=True, queries=3, keys=3)
    assert bias.shape == (8, 3, 3)
    assert bias[1].tril().tolist() == [[0, 0, 0], [-0.25, 0, 0], [-0.5, -0.25, 0]]


def test_a_bidirectional_stack_looks_forward_at_half_the_price() -> None:
    assert bias_of(causal=False, queries=2, keys=4)[1].tolist() == [
        [0, -0.125, -0.25, -0.375],
        [-0.25, 0, -0.125, -0.25],
    ]


def test_the_matrix_is_the_first_head_of_eight() -> None:
    assert torch.equal(SCHEMES["alibi"].matrix(20), bias_of(causal=False, queries=20, keys=20)[0])


def test_the_difference_to_bloom_is_the_same_along_a_row() -> None:
    """BLOOM adds slope times the key's position; a softmax does not see what is added to a whole row."""
    causal = torch.ones(6, 6).tril().bool()
    ours = SCHEMES["alibi"].matrix(6).masked_fill(~causal, -torch.inf).softmax(-1)
    blooms = (0.5 * torch.arange(6.0)).expand(6, 6).masked_fill(~causal, -torch.inf).softmax(-1)
    torch.testing.assert_close(ours, blooms)


def test_sixteen_heads_have_exponents_of_a_half_up_to_eight() -> None:
    assert (-slopes(16).log2()).tolist() == pytest.approx([0.5 * step for step in range(1, 17)])


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads", [1, 3, 8, 12])
def test_the_bias_of_a_formula_is_what_a_stack_adds(causal: bool, heads: int) -> None:
    thing = SCHEMES["alibi"].thing(Settings(length=20, heads=heads, causal=causal))
    encoding = SCHEMES["alibi"].encoding(width=64, heads=heads, length=1, causal=causal)
    added = encoding.bias(20, 20)
    assert isinstance(thing, Bias)
    assert added is not None
    assert thing.causal == causal
    assert thing.slopes is not None
    assert torch.equal(thing.slopes, slopes(heads))
    assert torch.equal(toeplitz(thing.values, 20), added)


def test_a_window_ends_where_a_key_keeps_a_hundredth_of_its_weight() -> None:
    ends = window(slopes(8))
    assert ends.tolist() == pytest.approx([4.605 / 2**-power for power in range(1, 9)], rel=1e-3)
    torch.testing.assert_close((-slopes(8) * ends).exp(), torch.full((8,), 0.01))
    assert window(torch.zeros(1)).isinf()
