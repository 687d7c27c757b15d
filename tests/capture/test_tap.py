"""The tap sees attention in any module, and nothing else."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.capture import AttentionCall, Recording, check_of, path_of, prepare, record
from core.capture.stored import StoredCall
from tests.capture.modules import HEADS, WIDTH, ByHand, Decoder, Luong, Pooling, Router

PRODUCTS = [
    "matmul", "operator", "bmm", "named bmm", "einsum", "einsum of a list", "ellipsis", "values first", "permuted",
]  # fmt: skip


def texts(length: int = 7, seed: int = 0) -> Tensor:
    return torch.randn(2, length, WIDTH, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def run(module: nn.Module, *inputs: Tensor, **named: Tensor) -> Recording:
    """Record one run, after making sure that recording changes nothing in the result."""
    module.eval()
    unseen = module(*inputs, **named)
    with record(module) as recording:
        seen = module(*inputs, **named)
    first = (unseen[0], seen[0]) if isinstance(unseen, tuple) else (unseen, seen)
    assert torch.allclose(*first, atol=1e-6, equal_nan=True)
    assert not recording.calls or check_of(recording.errors(), torch.float32).passed
    return recording


@pytest.mark.parametrize("softmax", ["function", "torch", "method", "module"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_every_way_of_writing_attention_is_seen(product: str, softmax: str) -> None:
    module = ByHand(product, softmax)
    mask = torch.ones(7, 7).tril().bool()
    (call,) = run(module, texts(), mask=mask).calls
    assert isinstance(call, StoredCall)
    assert (call.stream, call.heads, call.queries, call.keys, call.exact) == ("self", HEADS, 7, 7, True)
    for text in (0, 1):
        assert torch.equal(call.weights(batch=text), module.seen[text])
        assert torch.equal(call.masked(batch=text).expand(HEADS, -1, -1), ~mask.expand(HEADS, -1, -1))


def test_what_is_masked_differs_from_what_is_zero() -> None:
    module = ByHand()
    with torch.no_grad():
        module.qkv.weight.mul_(60)  # so far apart that weights underflow
    mask = torch.ones(7, 7, dtype=torch.bool)
    mask[:, 6] = False
    (call,) = run(module, texts(), mask=mask).calls
    assert (call.weights()[:, :, :6] == 0).any()
    assert torch.equal(call.masked()[0], ~mask)


def test_what_multiplies_the_values_counts_not_what_the_softmax_gave() -> None:
    module = ByHand("talking heads")  # the heads' weights are mixed before they meet the values
    (call,) = run(module, texts()).calls
    assert torch.allclose(call.weights(), module.seen[0].mean(0).expand(HEADS, -1, -1), atol=1e-6)
    assert (call.weights() - module.seen[0]).abs().max() > 1e-3


def test_a_row_that_may_attend_to_nothing_is_dead() -> None:
    class Uniform(ByHand):
        """-10,000 instead of -inf leaves weights in such a row: equal ones, which mean nothing."""

        def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
            q, k, v = self.qkv(x).chunk(3, -1)
            return F.softmax(q @ k.mT + (~mask).float() * -1e4, -1) @ v

    mask = torch.ones(7, 7, dtype=torch.bool)
    mask[2] = False
    (call,) = run(Uniform(), texts(), mask=mask).calls
    assert call.dead_rows()[0].tolist() == [row == 2 for row in range(7)]
    assert torch.all(call.weights()[:, 2] == 0)
    assert torch.allclose(call.weights()[:, [0, 6]].sum(-1), torch.ones(1, 2))


def test_a_softmax_that_multiplies_no_values_is_no_attention() -> None:
    calls = run(Router(), texts()).calls
    assert [call.path for call in calls] == ["attention"]


def test_a_call_is_named_by_the_module_that_computes_it() -> None:
    model = nn.Sequential(ByHand(), nn.ModuleDict({"x": ByHand("bmm")})["x"], ByHand("einsum"))
    calls = run(model, texts()).calls
    assert [(call.path, call.layer, call.own_index) for call in calls] == [("0", 0, 0), ("1", 1, 1), ("2", 2, 2)]


@pytest.mark.parametrize("causal", [False, True])
def test_the_fused_function_is_kept_by_reference(causal: bool) -> None:
    class Fused(ByHand):
        def forward(self, x: Tensor) -> Tensor:
            q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.3).transpose(1, 2)

    (call,) = run(Fused(), texts()).calls
    assert isinstance(call, AttentionCall)
    assert (call.causal, call.scale) == (causal, 0.3)


def test_one_head_and_one_text_may_be_written_without_their_dimensions() -> None:
    class Bare(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return F.softmax(x @ x.mT, -1) @ x

    (call,) = run(Bare(), texts()[0]).calls
    assert (call.heads, call.queries, call.keys) == (1, 7, 7)
    (call,) = run(Bare(), texts()).calls
    assert (call.heads, call.queries, call.keys) == (1, 7, 7)
    assert not torch.equal(call.weights(batch=0), call.weights(batch=1))


@pytest.mark.parametrize("style", ["sum", "torch.sum", "matmul", "einsum"])
def test_pooling_is_one_query_over_all_states(style: str) -> None:
    module = Pooling(style)
    mask = torch.ones(2, 9, dtype=torch.bool)
    mask[1, 6:] = False
    (call,) = run(module, texts(9), mask=mask).calls
    assert (call.stream, call.heads, call.queries, call.keys) == ("pooling", 1, 1, 9)
    for text in (0, 1):
        assert torch.allclose(call.weights(batch=text)[0, 0], module.seen[text])
        assert torch.equal(call.masked(batch=text)[0, 0], ~mask[text])


def test_a_decoder_over_an_rnn_asks_row_by_row() -> None:
    module = Decoder()
    recording = run(module, texts(9), texts(5, seed=1))
    (call,) = recording.calls
    assert (call.stream, call.layer, call.path) == ("cross", 0, "attention")
    assert call.weights().shape == (1, 5, 9)
    assert torch.allclose(call.weights(batch=1)[0, -1], module.attention.seen[1])
    assert len(recording.errors()) == 1


def test_a_square_map_over_an_rnn_is_cross_where_its_module_says_so() -> None:
    assert [call.stream for call in run(Luong(), texts(9), texts(5)).calls] == ["cross"]
    assert [call.stream for call in run(Luong(), texts(5), texts(5)).calls] == ["self"]
    assert [call.stream for call in run(Luong("cross"), texts(5), texts(5)).calls] == ["cross"]


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("extra", [{}, {"add_zero_attn": True}, {"add_bias_kv": True}, {"kdim": WIDTH, "vdim": WIDTH}])
def test_torch_multi_head_attention(batch_first: bool, need_weights: bool, extra: dict) -> None:
    module = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first, **extra).eval()
    x = texts() if batch_first else texts().transpose(0, 1)
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[1, 5:] = True
    future = torch.ones(7, 7).triu(1).bool()
    with torch.no_grad():
        _, theirs = module(x, x, x, key_padding_mask=padding, attn_mask=future, average_attn_weights=False)
    with torch.no_grad(), record(module) as recording:
        _, returned = module(x, x, x, key_padding_mask=padding, attn_mask=future, need_weights=need_weights)
    (call,) = recording.calls
    assert (returned is None) is not need_weights
    assert check_of(recording.errors(), torch.float32).passed
    for text in (0, 1):
        assert torch.allclose(call.weights(batch=text), theirs[text][..., :7], atol=1e-6)
        assert torch.equal(call.masked(batch=text)[0], future | padding[text])
    has_extra_key = "add_zero_attn" in extra or "add_bias_kv" in extra
    assert call.has_sink is has_extra_key
    assert bool((call.sink_share() > 0).all()) is has_extra_key


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_torch_transformer_encoder_and_its_fast_path() -> None:
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 3)
    padding = torch.zeros(2, 7, dtype=torch.bool)
    padding[1, 5:] = True
    model.eval()
    with torch.no_grad(), record(model) as recording:
        slow = model(texts(), src_key_padding_mask=padding)
    with torch.no_grad():
        fast = model(texts(), src_key_padding_mask=padding)  # zeros where padding is
    assert torch.allclose(slow[~padding], fast[~padding], atol=1e-5)
    assert [(c.path, c.stream) for c in recording.calls] == [(f"layers.{i}.self_attn", "self") for i in range(3)]
    assert check_of(recording.errors(), torch.float32).passed


def test_torch_transformer_has_three_streams() -> None:
    model = nn.Transformer(WIDTH, HEADS, 2, 3, 32, batch_first=True)
    calls = run(model, texts(9), texts(5)).calls
    streams = [
        (stream, *{(c.queries, c.keys) for c in calls if c.stream == stream})
        for stream in ("encoder", "decoder", "cross")
    ]
    assert streams == [("encoder", (9, 9)), ("decoder", (5, 5)), ("cross", (5, 9))]
    assert [sum(c.stream == s for c in calls) for s in ("encoder", "decoder", "cross")] == [2, 3, 3]


def test_the_weights_of_a_half_precision_module_are_those_it_used() -> None:
    module = ByHand().half()
    (call,) = run_half(module)
    assert call.weights().dtype == torch.float32
    assert torch.equal(call.weights(), module.seen[0].float())


@torch.no_grad()
def run_half(module: nn.Module) -> tuple:
    with record(module.eval()) as recording:
        module(texts().half())
    assert check_of(recording.errors(), torch.float16).passed
    return recording.calls


def test_nothing_is_seen_outside_the_block_and_nothing_stays() -> None:
    module = ByHand()
    with record(module) as recording:
        pass
    module(texts())
    assert recording.calls == ()


def test_an_exception_inside_a_module_leaves_the_tap_working() -> None:
    class Broken(ByHand):
        def multiplied(self, weights: Tensor, v: Tensor) -> Tensor:
            if self.product == "broken":
                raise RuntimeError("broken")
            return super().multiplied(weights, v)

    module = Broken()
    module.product = "broken"
    with pytest.raises(RuntimeError, match="broken"), record(module):
        module(texts())
    module.product = "matmul"
    assert [call.path for call in run(module, texts()).calls] == [""]


def test_recordings_nest() -> None:
    module = ByHand()
    with torch.no_grad(), record(module) as outer:
        module(texts(4))
        with record(module) as inner:
            module(texts(5))
        module(texts(6))
    assert [call.queries for call in inner.calls] == [5]
    assert [call.queries for call in outer.calls] == [4, 6]


def test_gradients_flow_past_the_tap() -> None:
    module = ByHand().eval()
    x = texts().requires_grad_()
    with record(module) as recording:
        module(x).sum().backward()
    seen = x.grad
    x.grad = None
    module(x).sum().backward()
    assert torch.equal(seen, x.grad)
    assert not recording.calls[0].weights().requires_grad


def test_preparing_a_plain_module_chooses_the_tap() -> None:
    module = ByHand()
    assert path_of(module) == "tap"
    assert prepare(module, {"x": texts()}) == path_of(module) == "tap"
    hooks = len(module._forward_pre_hooks)
    run(module, texts())
    assert len(module._forward_pre_hooks) == hooks == 1
    assert math.isclose(float(run(module, texts()).calls[0].weights().sum()), HEADS * 7, rel_tol=1e-5)
