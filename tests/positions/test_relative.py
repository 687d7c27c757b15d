"""T5's buckets, as the library's own formula gives them."""

import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from core.positions import SCHEMES, Settings
from core.positions.encoding import distances
from core.positions.objects import Buckets
from core.positions.relative import Relative, buckets, starts
from tests.sentences import refused

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


@pytest.mark.parametrize(("causal", "expected"), [(False, BIDIRECTIONAL), (True, CAUSAL)])
def test_the_starts_are_those_of_the_table_and_no_more(causal: bool, expected: list[int]) -> None:
    thing = SCHEMES["relative"].thing(Settings(length=20, causal=causal))
    assert isinstance(thing, Buckets)
    assert list(thing.starts) == expected
    assert (thing.rows, thing.causal) == (32, causal)
    assert torch.equal(thing.numbers, buckets(torch.arange(-19, 20), causal))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("count", "farthest"), [(8, 40), (16, 20), (33, 500), (4, 3)])
def test_the_starts_of_other_tables_are_where_the_row_changes(count: int, farthest: int, causal: bool) -> None:
    theirs = T5Attention._relative_position_bucket(-torch.arange(2 * farthest), not causal, count, farthest)
    assert list(starts(causal, count, farthest)) == first_distances(theirs)


@pytest.mark.parametrize(
    ("count", "farthest", "causal", "remedy"),
    [
        (3, 128, False, "at least 4"),
        (1, 128, True, "at least 2"),
        (32, 8, False, "above 8"),
        (32, 16, True, "above 16"),
        (128, 32, False, "fewer buckets"),
    ],
)
def test_buckets_that_cannot_be_spread_are_refused(count: int, farthest: int, causal: bool, remedy: str) -> None:
    with refused(f"{count} buckets", remedy):
        SCHEMES["relative"].matrix(10, buckets=count, farthest=farthest, causal=causal)


@pytest.mark.parametrize(("causal", "first"), [(False, 91), (True, 113)])
def test_all_farther_keys_share_the_last_bucket(causal: bool, first: int) -> None:
    found = SCHEMES["relative"].by_distance(Settings(length=2000, causal=causal))
    assert found.what == "bucket"
    far = found.values[0, found.offsets <= -first]
    assert set(far.tolist()) == {31.0 if causal else 15.0}
    assert found.values[0, found.offsets == 1 - first].item() == far[0].item() - 1
