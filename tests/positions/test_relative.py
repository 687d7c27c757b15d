"""T5's buckets, as the library's own formula gives them."""

import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from core.positions import SCHEMES
from core.positions.encoding import distances
from core.positions.relative import Relative, buckets

BIDIRECTIONAL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
CAUSAL = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]


def first_distances(numbers: torch.Tensor) -> list[int]:
    """Where each bucket begins, as distance grows from 0."""
    return [int((numbers == bucket).nonzero()[0]) for bucket in numbers.unique()]


def test_a_bidirectional_stack_has_sixteen_buckets_a_side() -> None:
    before = buckets(-torch.arange(500), causal=False)
    after = buckets(torch.arange(1, 500), causal=False) - 16
    assert first_distances(before) == BIDIRECTIONAL
    assert [1 + first for first in first_distances(after)] == BIDIRECTIONAL[1:]
    assert buckets(torch.tensor([1, -1, 0]), causal=False).tolist() == [17, 1, 0]


def test_a_causal_stack_spends_all_buckets_on_the_past() -> None:
    assert first_distances(buckets(-torch.arange(500), causal=True)) == CAUSAL
    assert buckets(torch.arange(500), causal=True).tolist() == [0] * 500


@pytest.mark.parametrize("causal", [False, True])
def test_buckets_are_those_of_the_library(causal: bool) -> None:
    distance = torch.arange(-700, 700)
    theirs = T5Attention._relative_position_bucket(distance, bidirectional=not causal)
    assert buckets(distance, causal).tolist() == theirs.tolist()


@pytest.mark.parametrize("causal", [False, True])
def test_the_bias_of_a_cell_is_its_bucket_of_the_head(causal: bool) -> None:
    encoding = Relative(heads=3, causal=causal)
    torch.nn.init.normal_(encoding.table)
    bias = encoding.bias(5, 7)
    assert bias.shape == (3, 5, 7)
    assert bias[2, 4, 1] == encoding.table[buckets(torch.tensor(1 - 4), causal), 2]


def test_the_bias_depends_on_the_distance_alone() -> None:
    encoding = Relative(heads=2, causal=False)
    torch.nn.init.normal_(encoding.table)
    bias = encoding.bias(40, 40)
    assert torch.equal(bias[:, 1:, 1:], bias[:, :-1, :-1])


def test_the_matrix_holds_the_buckets() -> None:
    assert torch.equal(SCHEMES["relative"].matrix(9), buckets(distances(9, 9), causal=False).float())
