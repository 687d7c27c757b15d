"""The steps from a query and its keys to the weights lead to the weights that the call reports."""

from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from torch import Tensor

from core.capture import AttentionCall, HeadChange, QueryKeyDetail, changed, query_key_detail, record
from core.capture.stored import StoredCall
from core.models.model import Model
from tests.capture.dispatching import DISPATCHING, inputs_of, network_that_dispatches
from tests.sentences import refused
from tests.tiny import batch, tiny_network


@torch.no_grad()
def calls_of(kind: str, padding: str) -> tuple[AttentionCall, ...]:
    network = network_that_dispatches(kind)
    with record(network) as recording:
        network(**inputs_of(kind, padding))
    return recording.calls


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def capped_call() -> AttentionCall:
    """Soft-cap and a sink for each head, grouped heads, a window: what Gemma-2 and gpt-oss do, in one call."""
    back = torch.arange(9)[:, None] - torch.arange(9)[None, :]
    window = ((back >= 0) & (back < 4)).expand(2, 1, 9, 9)
    return AttentionCall(
        "p", "self", 3, random(2, 4, 9, 8), random(2, 2, 9, 8, seed=1), mask=window, causal=False, scale=3.0,
        bias=None, softcap=5.0, sinks=random(1, 4, 1, 1, seed=2),
    )  # fmt: skip


def assert_it_leads_to_the_weights(call: AttentionCall, head: int, query: int, text: int) -> QueryKeyDetail:
    detail = query_key_detail(call, head, query, text)
    weights = call.weights([head], slice(query, query + 1), batch=text)[0, 0]
    assert detail.products.shape == (call.query.shape[-1], call.keys)
    assert detail.weights.shape == weights.shape
    assert (detail.weights - weights).abs().max() <= 1e-5
    assert torch.all(detail.weights[detail.masked] == 0)
    return detail


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", DISPATCHING)
def test_every_head_and_query_of_every_architecture(kind: str, padding: str) -> None:
    for call in calls_of(kind, padding):
        for head in range(call.heads):
            for query in (0, call.queries // 2, call.queries - 1):
                for text in range(2):
                    assert_it_leads_to_the_weights(call, head, query, text)


def test_the_bias_of_t5_is_told_apart_from_its_products() -> None:
    call = calls_of("t5", "none")[0]
    detail = assert_it_leads_to_the_weights(call, 2, 5, 0)
    assert call.bias is not None
    assert detail.bias is not None
    assert torch.equal(detail.bias, call.bias[0, 2, 5])
    assert torch.allclose(detail.logits, detail.dots + detail.bias)
    assert (detail.scale, detail.softcap, detail.mask, detail.sink) == (1.0, None, None, None)


def test_a_query_of_a_group_meets_the_keys_of_its_group() -> None:
    call = calls_of("llama", "none")[1]
    for head in range(4):
        detail = query_key_detail(call, head, 7)
        assert torch.equal(detail.key, call.key[0, head // 2])
        assert torch.allclose(detail.dots, call.key[0, head // 2] @ call.query[0, head, 7], atol=1e-5)
        assert detail.masked.nonzero().flatten().tolist() == list(range(8, 24))
        assert torch.all(detail.logits[8:] == -torch.inf)


def test_soft_cap_and_sink_are_steps_of_their_own() -> None:
    call = capped_call()
    assert call.sinks is not None
    for head in range(4):
        for query in range(9):
            detail = assert_it_leads_to_the_weights(call, head, query, 1)
            assert torch.allclose(detail.capped, 5 * torch.tanh(detail.dots * 3 / 5), atol=1e-5)
            assert detail.sink == float(call.sinks[0, head])
            assert float(detail.weights.sum()) + detail.sink_weight == pytest.approx(1, abs=1e-6)
            assert (detail.scaled.abs() > 5).any() or detail.capped.abs().max() <= 5
    uncapped = query_key_detail(replace(call, softcap=None), 0, 3)
    assert torch.equal(uncapped.capped, uncapped.scaled)


def test_a_float_mask_is_added_and_its_lowest_cells_are_masked() -> None:
    mask = torch.zeros(1, 1, 1, 6)
    mask[..., 1], mask[..., 4] = -2.0, torch.finfo(torch.float32).min
    call = AttentionCall("p", "self", 0, random(1, 2, 3, 8), random(1, 2, 6, 8, seed=1), mask, False, 0.35, None)
    detail = assert_it_leads_to_the_weights(call, 1, 2, 0)
    assert detail.masked.tolist() == [False, False, False, False, True, False]
    assert detail.mask is not None
    assert float(detail.mask[1]) == -2
    assert float(detail.logits[1]) == pytest.approx(float(detail.scaled[1]) - 2)


def test_a_query_that_may_attend_to_nothing_has_no_weights() -> None:
    call = replace(capped_call(), mask=torch.zeros(1, 1, 9, 9, dtype=torch.bool))
    detail = assert_it_leads_to_the_weights(call, 0, 0, 0)
    assert float(detail.weights.sum()) == detail.sink_weight == 0


def test_a_detail_lives_without_its_call_and_is_never_changed() -> None:
    call = replace(capped_call(), query=random(2, 4, 9, 8).half(), key=random(2, 2, 9, 8).half())
    detail = query_key_detail(call, 3, 4)
    assert detail.query.dtype == detail.key.dtype == torch.float32
    assert detail.key.untyped_storage().nbytes() == 9 * 8 * 4
    with pytest.raises(FrozenInstanceError):
        detail.scale = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("head", "query", "text", "said"),
    [(4, 0, 0, "head 4 is not one of 0 to 3"), (0, 9, 0, "query 9 is not one of 0 to 8"), (0, -1, 0, "query -1"),
     (0, 0, 2, "text 2 is not one of 0 to 1")],
)  # fmt: skip
def test_what_is_not_there_is_refused(head: int, query: int, text: int, said: str) -> None:
    with pytest.raises(IndexError, match=said):
        query_key_detail(capped_call(), head, query, text)


def test_weights_alone_are_shown_without_queries_and_keys() -> None:
    detail = query_key_detail(StoredCall("p", "self", 0, torch.full((1, 2, 3, 3), 1 / 3), None), 0, 0)
    assert (detail.query, detail.key, detail.dots, detail.scaled, detail.added, detail.dims) == (None,) * 5 + (0,)
    assert detail.products.shape == (0, 3)
    assert torch.allclose(torch.softmax(detail.logits, 0), detail.weights)
    assert "up to a number" in detail.remark


def test_a_changed_head_has_no_detail_and_the_others_do() -> None:
    network = tiny_network("bert")
    with torch.no_grad(), changed(network, [HeadChange("self", 1, 2, "uniform")]), record(network) as recording:
        network(**batch("none"))
    with refused("Head 2 of layer 1"):
        query_key_detail(recording.calls[1], 2, 0)
    assert_it_leads_to_the_weights(recording.calls[1], 1, 0, 0)


def test_a_trace_gives_the_detail_of_its_own_weights(minilm: Model) -> None:
    trace = minilm.run("The cat sat on the mat.")
    detail = trace.query_key(layer=2, head=5, query=3)
    assert (detail.stream, detail.layer, detail.head, detail.position) == ("self", 2, 5, 3)
    assert detail.products.shape == (32, len(trace.tokens))
    assert (detail.weights - trace.attention(2, [5])[0, 3]).abs().max() <= 1e-5
    with pytest.raises(IndexError, match="query"):
        trace.query_key(0, 0, len(trace.tokens))
