"""Shaw's vectors for clipped offsets: which row an offset reads, and what that adds to a score."""

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from core.positions import SCHEMES
from core.positions.settings import Settings
from core.positions.shaw import CLIP, Shaw, bias, clipped


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("clip", [1, 3, 16])
def test_there_are_two_rows_a_distance_and_one_for_the_token_itself(clip: int) -> None:
    found = SCHEMES["shaw"].thing(Settings(length=60, clip=clip))
    assert found.rows == 2 * clip + 1
    assert found.numbers.unique().tolist() == list(range(found.rows))
    assert found.starts == tuple(range(clip + 1))


def test_all_offsets_beyond_the_clip_read_one_row() -> None:
    assert clipped(torch.tensor([-900, -5, -4, -3, 0, 3, 4, 5, 900]), clip=4).tolist() == [0, 0, 0, 1, 4, 7, 8, 8, 8]
    numbers = SCHEMES["shaw"].thing(Settings(length=60, clip=4)).numbers
    assert set(numbers[: 59 - 3].tolist()) == {0}
    assert set(numbers[59 + 4 :].tolist()) == {8}


def test_a_clip_beyond_the_text_reaches_the_rows_of_its_offsets_only() -> None:
    found = SCHEMES["shaw"].thing(Settings(length=3, clip=10))
    assert (found.numbers.tolist(), found.rows, found.starts) == ([8, 9, 10, 11, 12], 21, (0, 1, 2))


@pytest.mark.parametrize("causal", [False, True])
def test_by_distance_tells_the_row_of_each_offset_that_is_seen(causal: bool) -> None:
    found = SCHEMES["shaw"].by_distance(Settings(length=20, clip=2, causal=causal))
    assert found.what == "bucket"
    assert found.offsets.tolist() == list(range(-19, 1 if causal else 20))
    assert torch.equal(found.values[0].long(), clipped(found.offsets, 2))


def test_a_score_is_the_query_times_the_key_and_the_vector_of_their_offset() -> None:
    query, key, vectors = drawn(2, 3, 9, 8), drawn(2, 3, 7, 8, seed=1), drawn(2 * 2 + 1, 8, seed=2)
    encoding = Shaw(8)
    encoding.table = torch.nn.Parameter(vectors)
    scores = (query @ key.mT) * 8**-0.5 + encoding.query_bias(query, 7, 8**-0.5)
    assert scores.shape == (2, 3, 9, 7)
    for i in range(9):
        for j in range(7):
            offset = max(-2, min(2, j - i))
            expected = (query[:, :, i] * (key[:, :, j] + vectors[offset + 2])).sum(-1) / 8**0.5
            torch.testing.assert_close(scores[:, :, i, j], expected, atol=1e-5, rtol=1e-5)


def test_keys_beyond_the_clip_get_the_same_from_a_query() -> None:
    added = bias(drawn(1, 2, 40, 8), drawn(2 * 3 + 1, 8, seed=1), 40)
    assert torch.equal(added[:, :, 20, :18], added[:, :, 20, :1].expand(-1, -1, 18))
    assert torch.equal(added[:, :, 20, 23:], added[:, :, 20, 23:24].expand(-1, -1, 17))
    assert not torch.equal(added[:, :, 20, 17], added[:, :, 20, 18])


def test_equal_queries_are_given_what_depends_on_the_offset_alone() -> None:
    added = bias(drawn(1, 2, 1, 8).expand(-1, -1, 30, -1), drawn(2 * 4 + 1, 8, seed=1), 30)
    torch.testing.assert_close(added[..., 1:, 1:], added[..., :-1, :-1])


class Largest(TorchFunctionMode):
    """Numbers of the largest tensor that anything made in the block has in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            self.numbers = max(self.numbers, result.untyped_storage().nbytes() // result.element_size())
        return result


def test_nothing_larger_than_the_scores_is_ever_in_memory() -> None:
    query, vectors = drawn(1, 4, 300, 64), drawn(2 * 16 + 1, 64)
    with torch.no_grad(), Largest() as largest:
        bias(query, vectors, 300)
    assert largest.numbers == 4 * 300 * 300


def test_a_causal_stack_learns_the_vectors_of_what_it_sees() -> None:
    encoding = SCHEMES["shaw"].encoding(width=32, heads=4, length=10, causal=True)
    assert isinstance(encoding, Shaw)
    assert encoding.table.shape == (2 * CLIP + 1, 8)
    added = encoding.query_bias(drawn(1, 4, 50, 8), 50, 1.0)
    added.tril().sum().backward()
    assert encoding.table.grad is not None
    assert bool(encoding.table.grad[: CLIP + 1].any(dim=1).all())
    assert not encoding.table.grad[CLIP + 1 :].any()
