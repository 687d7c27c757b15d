"""dF/dA of recorded calls equals what autograd finds on the weights of an eager copy."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from core import load
from core.capture import prepare, record_gradients
from core.capture.gradients import GradientRecording
from tests.capture.modules import WIDTH, Pooling
from tests.tiny import batch, tiny_network, two_stack_inputs

BLOOM = dict(hidden_size=32, n_layer=3, n_head=4)
FAMILIES: dict[str, dict[str, Any]] = {
    "bert": {}, "gpt2": {}, "llama": {}, "gemma3_text": {}, "t5": {}, "bart": {}, "bloom": BLOOM,
}  # fmt: skip


def number(states: Tensor, inputs: dict[str, Tensor]) -> Tensor:
    """A number that depends on the states of all tokens but padding, where backends differ: (B, T, D) -> ()."""
    weights = torch.randn(states.shape[1:], generator=torch.Generator().manual_seed(5))  # (T, D)
    real = inputs["decoder_attention_mask" if "decoder_attention_mask" in inputs else "attention_mask"]
    return (states * weights * real[..., None]).sum() / states.numel() ** 0.5


def recorded(network: Any, inputs: dict[str, Tensor]) -> GradientRecording:
    leaf = network.get_input_embeddings()(inputs["input_ids"]).detach().requires_grad_()
    given = {name: value for name, value in inputs.items() if name != "input_ids"}
    with record_gradients(network) as recording, torch.enable_grad():
        value = number(network(inputs_embeds=leaf, **given)[0], inputs)
    recording.back(value, leaf)
    return recording


def by_autograd(network: Any, inputs: dict[str, Tensor]) -> dict[str, list[Tensor]]:
    """dF/dA (B, H, T, S) of each layer of each stream, through the weights that the eager network returns."""
    network.requires_grad_(True)
    leaf = network.get_input_embeddings()(inputs["input_ids"])
    given = {name: value for name, value in inputs.items() if name != "input_ids"}
    answer = network(inputs_embeds=leaf, output_attentions=True, **given)
    names = {"attentions": "self", "encoder_attentions": "encoder", "decoder_attentions": "decoder",
             "cross_attentions": "cross"}  # fmt: skip
    found = {stream: list(answer[name]) for name, stream in names.items() if answer.get(name)}
    value = number(answer[0], inputs)
    return {
        stream: list(torch.autograd.grad(value, weights, retain_graph=True, materialize_grads=True))
        for stream, weights in found.items()
    }


@pytest.mark.parametrize("padding", ["none", "right", "left"])
@pytest.mark.parametrize("kind", FAMILIES)
def test_gradients_equal_autograd_through_an_eager_copy(kind: str, padding: str) -> None:
    network, eager = tiny_network(kind, **FAMILIES[kind]), tiny_network(kind, "eager", **FAMILIES[kind])
    inputs = two_stack_inputs(padding) if kind in ("t5", "bart") else batch(padding)
    prepare(network, inputs)
    found, expected = recorded(network, inputs), by_autograd(eager, inputs)
    assert len(found.calls) == sum(len(layers) for layers in expected.values())
    for place, call in enumerate(found.calls):
        for text in range(2):
            weights = call.weights(batch=text)
            wanted = expected[call.stream][call.layer][text]
            difference = (found.gradient(place, batch=text) - wanted).masked_fill(weights == 0, 0)
            scale = max(1.0, float(wanted.abs().max()))
            assert float(difference.abs().max()) <= 1e-5 * scale


def test_heads_and_rows_are_parts_of_the_whole() -> None:
    network = tiny_network("llama")
    prepare(network, batch("none"))
    found = recorded(network, batch("none"))
    whole = found.gradient(1, batch=1)
    part = found.gradient(1, heads=[3, 0], rows=slice(4, 9), batch=1)
    assert torch.allclose(part, whole[[3, 0], 4:9], atol=1e-6)
    assert torch.allclose(found.product(1, batch=1), found.calls[1].weights(batch=1) * whole, atol=1e-6)


def test_the_network_is_left_as_it_was_and_says_the_same() -> None:
    network, inputs = tiny_network("bert"), batch("right")
    prepare(network, inputs)
    chosen = network.config._attn_implementation
    with torch.no_grad():
        before = network(**inputs)[0]
    recorded(network, inputs)
    with torch.no_grad():
        assert torch.equal(network(**inputs)[0], before)
    assert network.config._attn_implementation == chosen == "sdpa"
    assert all(weight.grad is None for weight in network.parameters())


def test_no_map_is_kept_by_a_layer() -> None:
    network, inputs = tiny_network("bert"), batch("none")
    prepare(network, inputs)
    leaf = network.get_input_embeddings()(inputs["input_ids"]).detach().requires_grad_()
    saved: list[tuple[int, ...]] = []

    def keep(tensor: Tensor) -> Tensor:
        saved.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor), record_gradients(network) as recording:
        value = number(network(inputs_embeds=leaf, attention_mask=inputs["attention_mask"])[0], inputs)
    recording.back(value, leaf)
    length = inputs["input_ids"].shape[1]
    assert saved
    assert not [shape for shape in saved if shape[-2:] == (length, length) and len(shape) > 2 and shape[1] == 4]
    for source in recording._sources:
        kept = [held for held in vars(source).values() if isinstance(held, Tensor)]
        assert kept
        assert all(tuple(held.shape[-2:]) != (length, length) for held in kept)


def test_a_call_that_the_answer_does_not_depend_on_has_gradient_zero() -> None:
    network, inputs = tiny_network("bert"), batch("none")
    prepare(network, inputs)
    leaf = network.get_input_embeddings()(inputs["input_ids"]).detach().requires_grad_()
    with record_gradients(network) as recording:
        states = network(inputs_embeds=leaf, output_hidden_states=True).hidden_states
    recording.back(number(states[1], inputs), leaf)
    assert recording.gradient(0).abs().max() > 0
    assert recording.gradient(2).abs().max() == 0


@pytest.mark.parametrize("name", ["sentiment-bilstm-additive-0", "sentiment-bilstm-dot", "sentiment-cnn-additive"])
def test_pooling_gradients_equal_a_change_of_the_weights(name: str) -> None:
    """Softmax is left out by asking how the pooled state alone moves F: it is Σ α h, so dF/dα_i = dF/dr · h_i."""
    model = load(name)
    network: Any = model.network
    ids = torch.tensor([[5, 9, 11, 30, 7]])
    leaf = network.get_input_embeddings()(ids).detach().requires_grad_()
    pooled: list[Tensor] = []
    hook = network.classifier.register_forward_pre_hook(lambda _, given: pooled.append(given[0]))
    try:
        with record_gradients(network) as recording, torch.enable_grad():
            value = network(inputs_embeds=leaf, attention_mask=torch.ones_like(ids)).logits[0, 1]
        (slope,) = torch.autograd.grad(value, pooled[0], retain_graph=True)  # (1, D)
        recording.back(value, leaf)
    finally:
        hook.remove()
    weighted = recording.product(0)[0, 0].detach()  # (S,)
    assert float(weighted.sum()) == pytest.approx(float((slope * pooled[0].detach()).sum()), abs=1e-5)
    assert recording.gradient(0).shape == recording.calls[0].weights().shape


@pytest.mark.parametrize("name", ["en-fr-gru-bahdanau", "en-fr-lstm-luong"])
def test_the_rows_of_a_decoder_over_an_rnn_are_joined(name: str) -> None:
    model = load(name)
    network: Any = model.network
    ids, said = torch.tensor([[5, 9, 11, 30, 7]]), torch.tensor([[1, 8, 12, 20]])
    leaf = network.get_input_embeddings()(ids).detach().requires_grad_()
    with record_gradients(network) as recording, torch.enable_grad():
        given = dict(attention_mask=torch.ones_like(ids), decoder_input_ids=said)
        value = network(inputs_embeds=leaf, **given).logits[0, 2].max()
    recording.back(value, leaf)
    (call,) = recording.calls
    assert (call.stream, call.queries, call.keys) == ("cross", 4, 5)
    found = recording.gradient(0)
    assert found.shape == (1, 4, 5)
    assert found[0, 2].abs().max() > 0
    assert found[0, 3].abs().max() == 0, "a row after the asked one has no say"


@pytest.mark.parametrize("style", ["sum", "torch.sum", "matmul"])
def test_pooling_gradients_are_the_same_however_the_sum_is_written(style: str) -> None:
    torch.manual_seed(4)
    written, plain = Pooling(style), Pooling("einsum")
    plain.load_state_dict(written.state_dict())
    x, mask = torch.randn(1, 7, WIDTH), torch.ones(1, 7, dtype=torch.bool)
    found = []
    for module in (written, plain):
        leaf = x.clone().requires_grad_()
        with record_gradients(module) as recording, torch.enable_grad():
            value = module(leaf, mask).square().sum()
        recording.back(value, leaf)
        found.append(recording.gradient(0))
    assert found[1].abs().max() > 0
    torch.testing.assert_close(found[0], found[1])
