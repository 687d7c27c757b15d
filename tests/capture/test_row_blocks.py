"""Soft-capped scores and sinks, computed in blocks of rows: the same as eager, without its memory."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.capture import AttentionCall, check_of, prepare, record, row_blocks
from core.capture.row_blocks import always_mask, row_blocks_forward
from tests.architectures import Architecture

HEADS, GROUPS, QUERIES, KEYS, WIDTH = 4, 2, 70, 90, 8


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def by_hand(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor, scale: float, cap: float | None, sinks: Tensor | None
) -> Tensor:
    """The formula in float64 over whole maps: (B, T, H, D)."""
    k, v = (t.double().repeat_interleave(HEADS // GROUPS, 1) for t in (k, v))
    scores = q.double() @ k.mT * scale
    if cap is not None:
        scores = cap * torch.tanh(scores / cap)
    scores = scores.masked_fill(~mask, -torch.inf)
    total = scores.exp().sum(-1, keepdim=True)
    if sinks is not None:
        total = total + sinks.double().view(1, -1, 1, 1).exp()
    return (scores.exp() / total @ v).transpose(1, 2)


@pytest.mark.parametrize("sinks", [None, torch.tensor([-1.0, 0.0, 1.0, 3.0])], ids=["no sinks", "sinks"])
@pytest.mark.parametrize("cap", [None, 1.5])
@pytest.mark.parametrize("cells", [1, 5000, 1 << 20])
def test_the_output_is_the_formula_whatever_the_block(
    monkeypatch: pytest.MonkeyPatch, cells: int, cap: float | None, sinks: Tensor | None
) -> None:
    monkeypatch.setattr(row_blocks, "CELLS", cells)
    q, k, v = drawn(2, HEADS, QUERIES, WIDTH), drawn(2, GROUPS, KEYS, WIDTH), drawn(2, GROUPS, KEYS, WIDTH, seed=1)
    mask = drawn(2, 1, QUERIES, KEYS) > -0.5
    output, _ = row_blocks_forward(nn.Module(), q, k, v, mask, scaling=0.7, softcap=cap, s_aux=sinks)
    assert (output - by_hand(q, k, v, mask, 0.7, cap, sinks)).abs().max() < 2e-6


def test_never_does_a_map_of_all_heads_and_rows_stand_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = 0

    class Watch(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            nonlocal largest
            result = func(*args, **(kwargs or {}))
            if isinstance(result, Tensor):
                largest = max(largest, result.numel())
            return result

    monkeypatch.setattr(row_blocks, "CELLS", 1 << 16)
    length = 600
    q, k, v = (drawn(1, HEADS, length, WIDTH) for _ in range(3))
    mask = torch.ones(1, 1, length, length, dtype=torch.bool).tril()
    with Watch():
        row_blocks_forward(nn.Module(), q, k, v, mask, softcap=2.0)
    assert largest <= max(1 << 16, mask.numel()) < HEADS * length * length / 3


def test_a_row_without_any_key_is_zero_and_others_feel_nothing_of_it() -> None:
    q, k, v = (drawn(1, HEADS, 5, WIDTH, seed=seed) for seed in range(3))
    mask = torch.ones(1, 1, 5, 5, dtype=torch.bool)
    mask[..., 2, :] = False
    for sinks in (None, torch.zeros(HEADS)):
        output, _ = row_blocks_forward(nn.Module(), q, k, v, mask, sinks=sinks)
        assert torch.all(output[:, 2] == 0)
        assert torch.all(output[:, 3] != 0)


def test_the_share_of_a_sink_is_what_the_row_lacks() -> None:
    sinks = torch.tensor([-torch.inf, 0.0, 2.0, 50.0]).view(1, -1, 1, 1)
    call = AttentionCall(
        "", "self", 0, *(drawn(2, HEADS, 6, WIDTH) for _ in range(2)), None, True, 0.5, None, None, sinks
    )
    share = call.sink_share()
    assert call.has_sink
    assert torch.allclose(share, 1 - call.weights().sum(-1), atol=1e-6)
    assert torch.all(share[0] < 1e-6)
    assert torch.all(share[3] > 0.999)
    free = replace(call, sinks=None)
    # A row with a sink is the same row without it, smaller by the sink's share.
    assert torch.allclose(call.weights(), free.weights() * (1 - share)[..., None], atol=1e-6)
    assert not free.has_sink
    assert torch.all(free.sink_share() == 0)
    assert torch.equal(call.sink_share([2], slice(1, 3)), share[2:3, 1:3])


def test_sinks_may_differ_from_query_to_query() -> None:
    sinks = drawn(2, HEADS, 6, 1, seed=3)
    call = AttentionCall(
        "", "self", 0, *(drawn(2, HEADS, 6, WIDTH) for _ in range(2)), None, True, 0.5, None, None, sinks
    )
    scores = call.scores(batch=1).masked_fill(call.masked(), -torch.inf).exp()
    assert torch.allclose(call.weights(batch=1), scores / (scores.sum(-1, keepdim=True) + sinks[1].exp()), atol=1e-6)
    assert torch.allclose(call.weights([3, 0], slice(2, 4), batch=1), call.weights(batch=1)[[3, 0], 2:4])


@pytest.mark.parametrize("kind", ["gemma2", "gpt_oss", "vaultgemma", "granite_swa"])
def test_gradients_are_eager_s(kind: str) -> None:
    architecture = Architecture(kind)
    network, eager = architecture.network(), architecture.network("eager")
    eager.load_state_dict(network.state_dict())
    inputs = architecture.inputs("none")
    assert prepare(network, inputs) == "row blocks"
    grads = []
    for model in (network, eager):
        embedded = model.get_input_embeddings()(inputs["input_ids"]).detach().requires_grad_()
        model(inputs_embeds=embedded, attention_mask=inputs["attention_mask"])[0].square().mean().backward()
        grads.append(embedded.grad)
    assert (grads[0] - grads[1]).abs().max() <= 1e-5 * grads[1].abs().max()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("kind", ["gemma2", "gpt_oss"])
def test_half_precision_is_within_its_rounding(kind: str, dtype: torch.dtype) -> None:
    network = Architecture(kind).network().to(dtype)
    inputs = Architecture(kind).inputs("left")
    assert prepare(network, inputs) == "row blocks"
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    assert check_of(recording.errors(), dtype).passed
    rows = torch.stack([call.weights(batch=0).sum(-1) + call.sink_share(batch=0) for call in recording.calls])
    assert (rows - 1).abs().max() < 1e-6


def test_the_mask_is_always_built() -> None:
    asked = dict(batch_size=2, q_length=5, kv_length=5, allow_is_causal_skip=True, allow_is_bidirectional_skip=True)
    assert torch.equal(always_mask(**asked), torch.ones(2, 1, 5, 5).tril().bool())


def test_a_compiled_run_is_not_recorded_and_right() -> None:
    q, k, v = (drawn(1, HEADS, 6, WIDTH, seed=seed) for seed in range(3))
    module = nn.Module()
    compiled = torch.compile(lambda: row_blocks_forward(module, q, k, v, None, softcap=2.0)[0], backend="eager")
    assert torch.allclose(compiled(), row_blocks_forward(module, q, k, v, None, softcap=2.0)[0], atol=1e-6)
