import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from core.heads import Filters, WholeMap, attention_map, blocks, whole_map
from core.heads.pooling import pooled
from core.jobs import Cancelled, Job, Progress
from tests.heads.hand_made import nothing_masked, random_trace, random_weights, stored_trace, tokens_of


def largest_of_blocks(weights: Tensor, masked: Tensor, factor: int) -> Tensor:
    """(rows, cols) -> at most so many over factor each, by the definition."""
    sizes = [-(-size // factor) for size in weights.shape]
    cells = torch.full(sizes, torch.nan)
    for row in range(sizes[0]):
        for col in range(sizes[1]):
            block = slice(row * factor, (row + 1) * factor), slice(col * factor, (col + 1) * factor)
            if not masked[block].all():
                cells[row, col] = weights[block].max()
    return cells


@pytest.mark.parametrize(("rows", "cols", "factor"), [(1, 1, 1), (7, 9, 2), (8, 4, 4), (3, 11, 5), (10, 10, 10)])
def test_a_cell_is_the_largest_of_its_block(rows: int, cols: int, factor: int) -> None:
    masked = torch.rand(rows, cols, generator=torch.Generator().manual_seed(rows)) < 0.7
    weights = random_weights(1, masked)
    expected = largest_of_blocks(weights[0], masked, factor)
    torch.testing.assert_close(pooled(weights, masked, factor)[0], expected, equal_nan=True, atol=0, rtol=0)


@pytest.mark.parametrize("head", [1, None])
@pytest.mark.parametrize(
    "filters", [Filters(), Filters(words=True), Filters(special="hide"), Filters(words=True, special="renormalise")]
)
@pytest.mark.parametrize("cells", [blocks.CELLS, 9000, 2500])
def test_a_whole_map_is_the_map_made_small(
    head: int | None, filters: Filters, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = random_trace(1100)
    direct = attention_map(trace, "self", 0, None if head is None else [head], filters).mean()
    monkeypatch.setattr(blocks, "CELLS", cells)
    whole = whole_map(trace, "self", 0, head, filters)
    assert whole.factor == (2 if filters.words else 3)
    assert max(whole.weights.shape) <= 512
    assert (whole.rows, whole.cols) == (direct.rows, direct.cols)
    expected = pooled(direct.weights, direct.masked, whole.factor)[0]
    torch.testing.assert_close(whole.weights, expected, equal_nan=True, atol=1e-6, rtol=0)


def test_a_short_map_is_whole_as_it_is() -> None:
    masked = nothing_masked(3, 5)
    weights = random_weights(2, masked)
    whole = whole_map(stored_trace(weights, masked, tokens_of([0] * 3), tokens_of([0] * 5)), "cross", 0, 1)
    assert whole.factor == 1
    assert torch.equal(whole.weights, weights[1])


def test_a_wide_map_is_made_small_alike_on_both_sides() -> None:
    masked = nothing_masked(4, 1100)
    weights = random_weights(1, masked)
    whole = whole_map(stored_trace(weights, masked, tokens_of([0] * 4), tokens_of([0] * 1100)), "cross", 0, 0)
    assert (whole.factor, whole.weights.shape) == (3, (2, 367))
    assert torch.equal(whole.weights, F.max_pool2d(weights, 3, ceil_mode=True)[0])


def test_each_block_is_told_and_may_be_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "CELLS", 200_000)
    trace, told = random_trace(1024), list[Progress]()
    whole_map(trace, "self", 0, None, job=Job("ann", "Look", told.append))
    assert [(p.done, p.total) for p in told] == [(block, 11) for block in range(1, 12)]
    assert told[0].step == "drawing the whole map, part 1 of 11"
    stopped = Job("ann", "Look", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        whole_map(trace, "self", 0, 0, job=stopped)


def test_a_whole_map_refuses_a_shape_that_does_not_fit() -> None:
    whole = whole_map(random_trace(6), "self", 0, 0)
    with pytest.raises(ValueError, match=r"shape \(5, 6\) is not \(6, 6\)"):
        WholeMap(whole.weights[1:], 1, whole.rows, whole.cols)
