"""Attention weights: what the models return, what a recording sees, and what the formula says are one and the same."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.capture import AttentionCall, HeadChange, Recording, changed, check_of, prepare, query_key_detail, record
from core.positions import TRAINABLE
from core.positions.encoding import distances
from core.positions.shaw import clipped
from core.zoo.transformer.attention import MultiHeadAttention
from tests.zoo.tiny_transformers import MODELS, config, inputs, network

STREAMS = {"encoder-decoder": {"encoder", "decoder", "cross"}, "classifier": {"self"}, "language model": {"self"}}


@torch.no_grad()
def recorded(model: PreTrainedModel, given: dict[str, Tensor]) -> Recording:
    with record(model) as recording:
        model(**given)
    return recording


@torch.no_grad()
def returned(model: PreTrainedModel, given: dict[str, Tensor]) -> dict[str, tuple[Tensor, ...]]:
    """The weights (B, H, T, S) of every layer that the model itself gives, by stream."""
    answer = model(**given, output_attentions=True)
    if "decoder_input_ids" not in given:
        return {"self": answer.attentions}
    maps = (answer.encoder_attentions, answer.decoder_attentions, answer.cross_attentions)
    return dict(zip(("encoder", "decoder", "cross"), maps, strict=True))


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", MODELS)
def test_a_recording_sees_the_weights_that_the_model_returns(kind: str, padding: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, padding)
    assert prepare(model, given) == "sdpa"
    maps, recording = returned(model, given), recorded(model, given)
    assert set(maps) == {call.stream for call in recording.calls} == STREAMS[kind]
    assert check_of(recording.errors(), torch.float32).passed
    for call in recording.calls:
        for text in range(2):
            weights = maps[call.stream][call.layer][text]
            torch.testing.assert_close(call.weights(batch=text), weights, atol=1e-5, rtol=0)


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("kind", MODELS)
def test_every_row_sums_to_one_and_padding_gets_nothing(kind: str, padding: str, positions: str) -> None:
    given = inputs(kind, padding)
    source = given["attention_mask"][1].bool()
    target = given.get("decoder_attention_mask", given["attention_mask"])[1].bool()
    for stream, maps in returned(network(kind, positions=positions), given).items():
        queries = target if stream in ("decoder", "cross") else source
        keys = target if stream == "decoder" else source
        for weights in maps:
            torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
            assert float(weights[1][:, queries][..., ~keys].max()) == 0.0


def test_queries_keys_and_the_bias_are_kept_by_reference() -> None:
    model, given = network("classifier", positions="relative"), inputs("classifier", "none")
    attention, projected = model.encoder.layers[0].self_attention, {}
    for name in ("query", "key"):
        attention.get_submodule(name).register_forward_hook(lambda _, __, out, name=name: projected.update({name: out}))
    first, second = recorded(model, given).calls
    assert isinstance(first, AttentionCall)
    assert isinstance(second, AttentionCall)
    assert first.query.data_ptr() == projected["query"].data_ptr()
    assert first.key.data_ptr() == projected["key"].data_ptr()
    assert first.bias is not None
    assert second.bias is not None
    assert first.bias.data_ptr() == second.bias.data_ptr()
    assert torch.equal(first.bias[0], model.encoder.positions.bias(24, 24))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("kind", MODELS)
def test_the_bias_of_relative_vectors_is_each_layers_own(kind: str, scaled: bool) -> None:
    model, given = network(kind, positions="shaw", scaled=scaled), inputs(kind, "left")
    stacks = {"encoder": "encoder", "self": "encoder" if kind == "classifier" else "decoder", "decoder": "decoder"}
    for call in recorded(model, given).calls:
        assert isinstance(call, AttentionCall)
        if call.stream == "cross":
            assert call.bias is None
            continue
        table = model.get_submodule(stacks[call.stream]).positions.table
        rows = clipped(distances(call.queries, call.keys))  # (T, S)
        added = torch.einsum("bhtw,tsw->bhts", call.query, table[rows]) * call.scale
        torch.testing.assert_close(call.bias, added, atol=1e-5, rtol=1e-5)


def test_unscaled_scores_are_larger_by_the_root_of_the_heads_width() -> None:
    scaled, unscaled = (network("language model", positions="none", scaled=scaled) for scaled in (True, False))
    unscaled.load_state_dict(scaled.state_dict())
    given = inputs("language model", "none")
    first, other = (recorded(model, given).calls[0] for model in (scaled, unscaled))
    assert isinstance(first, AttentionCall)
    assert isinstance(other, AttentionCall)
    assert (first.scale, other.scale) == (0.5, 1.0)
    torch.testing.assert_close(other.scores(), math.sqrt(4) * first.scores())


@pytest.mark.parametrize("positions", TRAINABLE)
def test_unscaled_attention_is_proven_like_any_other(positions: str) -> None:
    model, given = network("encoder-decoder", positions=positions, scaled=False), inputs("encoder-decoder")
    assert prepare(model, given) == "sdpa"
    assert check_of(recorded(model, given).errors(), torch.float32).passed


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("kind", MODELS)
def test_the_written_out_function_and_the_fused_one_agree(kind: str, positions: str) -> None:
    model, given = network(kind, positions=positions), inputs(kind, "left")
    with torch.no_grad():
        fused, written_out = model(**given), model(**given, output_attentions=True)
    torch.testing.assert_close(fused.logits, written_out.logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(("stream", "stack"), [("encoder", "encoder"), ("decoder", "decoder"), ("cross", "decoder")])
def test_a_head_can_be_switched_off(stream: str, stack: str) -> None:
    model, given = network("encoder-decoder", positions="alibi"), inputs("encoder-decoder")
    with torch.no_grad(), changed(model, [HeadChange(stream, layer=1, head=2)]):
        without = model(**given).logits
    layer = model.get_submodule(stack).layers[1]
    attention = layer.cross_attention if stream == "cross" else layer.self_attention
    with torch.no_grad():
        attention.output.weight[:, 8:12] = 0.0
        torch.testing.assert_close(without, model(**given).logits, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("positions", ["relative", "alibi", "shaw"])
def test_the_bias_is_a_part_of_a_score(positions: str) -> None:
    call = recorded(network("language model", positions=positions), inputs("language model")).calls[1]
    detail = query_key_detail(call, head=3, query=9)
    assert detail.query is not None
    assert detail.key is not None
    assert detail.bias is not None
    scores = detail.key @ detail.query * detail.scale + detail.bias
    torch.testing.assert_close(detail.logits[:10], scores[:10], atol=1e-4, rtol=1e-4)
    assert detail.masked[10:].all()


def test_returned_weights_are_those_before_dropout() -> None:
    attention = MultiHeadAttention(config(dropout=0.5), causal=False).train()
    hidden = torch.randn(2, 9, 16)
    output, weights = attention(hidden, output_attentions=True)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 9))
    assert not torch.allclose(output, attention(hidden)[0])


def test_attention_implementation_can_be_chosen() -> None:
    model = MODELS["classifier"]._from_config(config(), attn_implementation="eager")
    assert model.encoder.layers[0].self_attention.config is model.config
    model.set_attn_implementation("sdpa")
    assert recorded(model.eval(), inputs("classifier")).calls
