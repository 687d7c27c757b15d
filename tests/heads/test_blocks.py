from hypothesis import given
from hypothesis import strategies as st

from core.heads.blocks import CELLS, factor_of, head_groups, row_blocks

SIZES = dict(
    rows=st.integers(1, 20_000),
    cols=st.integers(1, 200_000),
    heads=st.integers(1, 128),
    factor=st.integers(1, 4096),
)


@given(**SIZES)
def test_blocks_cover_all_rows_and_heads_once_and_stay_small(rows: int, cols: int, heads: int, factor: int) -> None:
    blocks, groups = row_blocks(rows, cols, heads, factor), head_groups(heads, cols, factor)
    assert [block.start for block in blocks] == [0, *(block.stop for block in blocks[:-1])]
    assert blocks[-1].stop == rows
    assert [head for group in groups for head in group] == list(range(heads))
    largest = max(block.stop - block.start for block in blocks) * len(groups[0])
    assert largest * cols <= max(CELLS, cols)


@given(**SIZES)
def test_a_block_holds_whole_cells_or_lies_in_one(rows: int, cols: int, heads: int, factor: int) -> None:
    for block in row_blocks(rows, cols, heads, factor):
        ends = block.stop % factor == 0 or block.stop == rows
        assert (block.start % factor == 0 and ends) or block.start // factor == (block.stop - 1) // factor


@given(rows=st.integers(0, 10**6), cols=st.integers(0, 10**6), side=st.integers(1, 600))
def test_a_factor_is_the_smallest_that_fits(rows: int, cols: int, side: int) -> None:
    factor = factor_of(rows, cols, side)
    longest = max(rows, cols)
    assert -(-longest // factor) <= side
    assert factor == 1 or -(-longest // (factor - 1)) > side
