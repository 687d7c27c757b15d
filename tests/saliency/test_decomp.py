"""DecompX: parts that sum to the model's own logits and states, for every family."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from core.errors import HeadlightError
from core.saliency.decomposition.decompx import require_room
from core.saliency.decomposition.families import refusal, stack_of
from core.saliency.decomposition.parts import head_parts, layer_parts, logit_parts
from core.saliency.decomposition.stack import Head, Linear, Norm, Stack
from tests.saliency.test_decomp_families import classifier, off, own_classifier, parts_of, run_of
from tests.tiny import tiny_network


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_new", "silu", "tanh"])
def test_every_activation_that_is_zero_at_zero_is_exact(activation: str) -> None:
    network = classifier("bert", hidden_act=activation)
    run = run_of(network)
    assert off(parts_of(network, run), run.logits) < 1e-5


def test_a_model_of_linear_maps_gives_each_token_its_exact_share() -> None:
    """Without biases, norms and curves the logits are linear in the first states, so a part is what its state adds."""
    network = classifier("bert")
    stack = _linear(stack_of(network))
    run = run_of(network)
    first, weights = run.states[0].double(), [each.double() for each in run.weights]

    def logits(states: torch.Tensor) -> torch.Tensor:
        for layer, attention in zip(stack.layers, weights, strict=True):
            values = (states @ layer.value.weight.double()).unflatten(-1, (layer.heads, -1)).transpose(0, 1)
            mixed = (attention @ values).transpose(0, 1).flatten(-2)
            states = states + mixed @ layer.output.weight.double()
            states = states + states @ layer.expand.weight.double() @ layer.contract.weight.double()
        assert stack.head is not None
        assert stack.head.dense is not None
        return states[0] @ stack.head.dense.weight.double() @ stack.head.classifier.weight.double()

    parts = torch.eye(len(first)).double()[:, :, None] * first[:, None]
    for layer, attention in zip(stack.layers, weights, strict=True):
        parts = layer_parts(layer, parts, attention, range(len(first)))
    assert stack.head is not None
    found = head_parts(stack.head, parts[:1])
    alone = torch.stack([logits(first * one[:, None]) for one in torch.eye(len(first)).double()])
    assert torch.allclose(found, alone, rtol=1e-9, atol=1e-9)


def _linear(stack: Stack) -> Stack:
    """The same without biases, norms and curves: Pre-LN layers whose norms change nothing."""

    def bare(linear: Linear) -> Linear:
        return replace(linear, bias=None)

    class Same(Norm):
        def scaled(self, part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
            return part

    same = Same(None, None, 0.0)
    layers = tuple(
        replace(
            layer, value=bare(layer.value), output=bare(layer.output), expand=bare(layer.expand),
            contract=bare(layer.contract), activation=lambda states: states, attention_norm=same,
            feed_forward_norm=same, pre=True,
        )
        for layer in stack.layers
    )  # fmt: skip
    head = stack.head
    assert head is not None
    assert head.dense is not None
    flat = replace(head, classifier=bare(head.classifier), dense=bare(head.dense), activation=lambda states: states)
    return Stack(layers, None, flat)


def test_a_single_token_gets_everything() -> None:
    network = own_classifier("post")
    run = run_of(network, tokens=1)
    assert torch.allclose(parts_of(network, run)[0].float(), run.logits, atol=1e-5)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    network = own_classifier("post")
    run = run_of(network)
    whole = parts_of(network, run)
    monkeypatch.setattr("core.saliency.decomposition.parts.MOST_NUMBERS", 1)
    assert torch.allclose(parts_of(network, run), whole, rtol=1e-5, atol=1e-6)


def test_a_text_too_long_for_the_memory_is_refused_with_a_length_that_fits() -> None:
    with pytest.raises(HeadlightError, match=r"shorten the text to about [\d,]+ tokens"):
        require_room(1_000_000, 768, "cpu")


@pytest.mark.parametrize(("kind", "word"), [("t5", "t5"), ("albert", "albert"), ("llama", "llama")])
def test_other_families_are_refused_by_name(kind: str, word: str) -> None:
    sentence = refusal(tiny_network(kind))
    assert word in sentence
    assert "DistilBERT" in sentence


def test_quantised_weights_are_refused() -> None:
    network = classifier("bert")
    with torch.no_grad():
        dense = network.bert.encoder.layer[0].output.dense
        dense.weight = torch.nn.Parameter(dense.weight.to(torch.int8), requires_grad=False)
    assert "quantised" in refusal(network)


def test_a_bias_is_shared_by_how_much_it_touches_each_part() -> None:
    """|b · part| is 3 and 1, so the first gets three quarters of the bias."""
    classifier_of_one = Head("first", Linear(torch.eye(2), torch.tensor([1.0, 0.0])))
    parts = torch.tensor([[[3.0, 5.0], [-1.0, 2.0]]])
    assert head_parts(classifier_of_one, parts).tolist() == [[3.75, 5.0], [-0.75, 2.0]]


def test_a_bias_that_touches_no_part_goes_to_the_row_s_own_token() -> None:
    """A feed-forward that is off everywhere gives its last bias alone."""
    network = own_classifier("pre", num_hidden_layers=1)
    layer = stack_of(network).layers[0]
    off_everywhere = replace(layer, expand=Linear(layer.expand.weight, torch.full_like(layer.expand.bias, -1e4)))
    states = run_of(network).states[0]
    parts = torch.diag_embed(states.T).permute(1, 2, 0)
    weights = torch.eye(len(states)).expand(layer.heads, -1, -1)
    found = layer_parts(off_everywhere, parts, weights, range(len(states)))
    others = found.clone()
    others[torch.arange(len(states)), torch.arange(len(states))] = 0
    assert others.abs().max() == 0


def test_states_that_the_layers_do_not_give_are_told() -> None:
    network = classifier("bert")
    run = run_of(network)
    strange = [run.states[0], run.states[1] * 1.5, *run.states[2:]]
    assert logit_parts(stack_of(network), strange, run.weights.__getitem__).error > 0.1
