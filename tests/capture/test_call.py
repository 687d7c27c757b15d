from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from core.capture import AttentionCall

HEADS, GROUPS, QUERIES, KEYS, WIDTH = 4, 2, 5, 7, 8
MASK_SHAPES = [(5, 7), (1, 7), (5, 1), (1, 1), (4, 1, 7), (4, 5, 1), (1, 4, 5, 7), (2, 1, 5, 7), (2, 4, 5, 7)]


def make_call(mask: Tensor | None = None, bias: Tensor | None = None, keys: int = KEYS, **changes) -> AttentionCall:
    generator = torch.Generator().manual_seed(0)
    call = AttentionCall(
        path="layer.0",
        stream="self",
        layer=0,
        query=torch.randn(2, HEADS, QUERIES, WIDTH, generator=generator),
        key=torch.randn(2, GROUPS, keys, WIDTH, generator=generator),
        mask=mask,
        causal=False,
        scale=0.7,
        bias=bias,
    )
    return replace(call, **changes)


def random_mask(shape: tuple[int, ...], seed: int = 0) -> Tensor:
    """About two thirds may attend, and the first key always."""
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(seed)) > 0.3
    mask[..., 0] = True
    return mask


def by_hand(call: AttentionCall, batch: int) -> Tensor:
    """The formula written out in float64, one head at a time."""
    maps = []
    for head in range(call.heads):
        key = call.key[batch, head // (call.heads // call.key_value_heads)].double()
        scores = call.query[batch, head].double() @ key.T * call.scale
        if call.bias is not None:
            scores = scores + call.bias.expand(2, HEADS, QUERIES, call.keys)[batch, head].double()
        if call.mask is not None:
            mask = call.mask.expand(2, HEADS, QUERIES, call.keys)[batch, head]
            scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask.double()
        if call.causal:
            scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
        maps.append(torch.softmax(scores, dim=-1))
    return torch.stack(maps).float()


@pytest.mark.parametrize("batch", [0, 1])
@pytest.mark.parametrize("kind", ["bool", "float"])
@pytest.mark.parametrize("shape", MASK_SHAPES)
def test_weights_are_the_formula_for_every_mask_that_broadcasts(shape: tuple[int, ...], kind: str, batch: int) -> None:
    mask = random_mask(shape)
    call = make_call(mask if kind == "bool" else torch.where(mask, 0.3, -torch.inf))
    assert (call.weights(batch=batch) - by_hand(call, batch)).abs().max() < 1e-6


@pytest.mark.parametrize("shape", [(1, 4, 5, 7), (1, 1, 5, 7), (2, 4, 5, 7)])
def test_a_position_bias_is_added(shape: tuple[int, ...]) -> None:
    bias = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    for mask in (None, random_mask((2, 1, 5, 7))):
        call = make_call(mask, bias)
        assert (call.weights(batch=1) - by_hand(call, 1)).abs().max() < 1e-6


def test_a_causal_call_sees_nothing_ahead() -> None:
    call = make_call(causal=True, keys=QUERIES)
    weights = call.weights()
    assert (weights - by_hand(call, 0)).abs().max() < 1e-6
    assert torch.equal(call.masked()[0], torch.ones(QUERIES, QUERIES).triu(1).bool())
    assert torch.all(weights.triu(1) == 0)
    assert torch.equal(weights[:, 0, 0], torch.ones(HEADS))


def test_query_heads_share_the_key_head_of_their_group() -> None:
    call = make_call()
    spread = replace(call, key=call.key.repeat_interleave(HEADS // GROUPS, dim=1))
    assert torch.equal(call.weights(), spread.weights())
    assert (call.key_value_heads, spread.key_value_heads) == (GROUPS, HEADS)


@pytest.mark.parametrize("shape", [None, *MASK_SHAPES])
def test_weights_times_values_are_what_torch_attends_to(shape: tuple[int, ...] | None) -> None:
    call = make_call(None if shape is None else random_mask(shape))
    value = torch.randn(2, GROUPS, KEYS, WIDTH, generator=torch.Generator().manual_seed(2))
    theirs = F.scaled_dot_product_attention(
        call.query, call.key, value, attn_mask=call.mask, scale=call.scale, enable_gqa=True
    )
    for batch in (0, 1):
        mine = call.weights(batch=batch) @ value[batch].repeat_interleave(HEADS // GROUPS, dim=0)
        assert (mine - theirs[batch]).abs().max() < 2e-6


bounds = st.none() | st.integers(-8, 8)
slices = st.builds(slice, bounds, bounds, st.none() | st.integers(1, 3))


@settings(deadline=None)
@given(
    heads=st.none() | st.lists(st.integers(-HEADS, HEADS - 1), max_size=5),
    rows=slices,
    cols=slices,
    shape=st.sampled_from([None, *MASK_SHAPES]),
    causal=st.booleans(),
)
def test_a_window_is_a_part_of_the_whole(heads, rows: slice, cols: slice, shape, causal: bool) -> None:
    call = make_call(None if shape is None else random_mask(shape), causal=causal and shape is None)
    chosen = list(range(HEADS)) if heads is None else heads
    whole = call.weights(batch=1)[chosen][:, rows, cols]
    window = call.weights(heads, rows, cols, batch=1)
    assert window.shape == whole.shape
    assert torch.allclose(window, whole, atol=1e-6)
    blocked = call.masked(batch=1).expand(HEADS, QUERIES, KEYS)[chosen][:, rows, cols]
    assert torch.equal(call.masked(rows, cols, batch=1, heads=chosen).expand_as(window), blocked)


@settings(deadline=None)
@given(seed=st.integers(0, 1000), shape=st.sampled_from(MASK_SHAPES))
def test_rows_sum_to_one_and_masked_cells_weigh_exactly_nothing(seed: int, shape: tuple[int, ...]) -> None:
    call = make_call(random_mask(shape, seed))
    weights = call.weights()
    assert torch.allclose(weights.sum(-1), torch.ones(HEADS, QUERIES), atol=1e-6)
    assert torch.all(weights[call.masked().expand_as(weights)] == 0)
    assert torch.all(weights >= 0)


def test_a_row_without_any_key_is_zero_and_masked() -> None:
    mask = torch.ones(QUERIES, KEYS, dtype=torch.bool)
    mask[2] = False
    value = torch.randn(2, HEADS, KEYS, WIDTH)
    for dead in (mask, torch.where(mask, 0.0, -torch.inf)):
        call = make_call(dead)
        assert torch.all(call.weights()[:, 2] == 0)
        assert torch.all(call.masked()[0, 2])
        assert torch.all(call.weights()[:, [0, 1, 3, 4]].sum(-1) > 0.99)
        output = F.scaled_dot_product_attention(call.query, call.key.repeat_interleave(2, 1), value, attn_mask=dead)
        assert torch.all(output[:, :, 2] == 0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_of_a_half_precision_call_are_float32(dtype: torch.dtype) -> None:
    call = make_call()
    half = replace(call, query=call.query.to(dtype), key=call.key.to(dtype))
    assert half.weights().dtype == torch.float32
    assert (half.weights().sum(-1) - 1).abs().max() < 1e-6
    assert (half.weights() - call.weights()).abs().max() < 0.05


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_most_negative_number_of_a_format_is_a_mask(dtype: torch.dtype) -> None:
    mask = torch.zeros(QUERIES, KEYS, dtype=dtype)
    mask[:, 3] = torch.finfo(dtype).min
    mask[:, 4] = torch.finfo(dtype).min * 0.75  # what is left of it where something was added
    call = make_call(mask)
    assert torch.all(call.weights()[..., 3:5] == 0)
    assert call.masked()[0].sum(-1).tolist() == [2] * QUERIES


def test_scores_of_any_size_give_weights_without_nan() -> None:
    call = make_call(random_mask((5, 7)), scale=1e30)
    assert torch.allclose(call.weights().sum(-1), torch.ones(HEADS, QUERIES))
