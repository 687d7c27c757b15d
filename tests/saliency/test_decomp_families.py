"""Tiny random networks of each family with biases, and that their parts sum to the logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, PreTrainedModel

from core.capture import record
from core.saliency.decomposition.families import stack_of
from core.saliency.decomposition.parts import logit_parts
from core.zoo.transformer import TransformerConfig
from tests.tiny import ONE_STACK, VOCABULARY, network_of, tiny_config

CLASSIFIERS = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra")


@dataclass(frozen=True)
class Run:
    """Logits (labels,) that the run explains, what enters and leaves each layer, each (T, D), and weights (H, T, T)."""

    logits: Tensor
    states: list[Tensor]
    weights: list[Tensor]


def with_biases(network: PreTrainedModel, seed: int = 1) -> PreTrainedModel:
    """Random biases and norms in place: at their beginning they are 0 and 1, and would hide a wrong formula."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.LayerNorm):
                module.weight.copy_(1 + 0.3 * torch.randn(module.weight.shape, generator=generator))
            if (bias := getattr(module, "bias", None)) is not None and isinstance(bias, Tensor):
                bias.copy_(0.3 * torch.randn(bias.shape, generator=generator))
    return network


def classifier(kind: str, **changes: Any) -> PreTrainedModel:
    """Three labels unless told otherwise."""
    sizes = {} if kind in ONE_STACK else ONE_STACK["bert"]
    config = tiny_config(kind, **{**sizes, "num_labels": 3, **changes})
    return with_biases(network_of(config, auto=AutoModelForSequenceClassification))


def own_classifier(norm: str, **changes: Any) -> PreTrainedModel:
    config = TransformerConfig(vocab_size=VOCABULARY, norm=norm, **{"num_labels": 3, **changes})
    return with_biases(network_of(config, auto=AutoModelForSequenceClassification))


def language_model(norm: str = "") -> PreTrainedModel:
    """Our own with this norm, or GPT-2."""
    config = TransformerConfig(vocab_size=VOCABULARY, norm=norm) if norm else tiny_config("gpt2")
    return with_biases(network_of(config, auto=AutoModelForCausalLM))


def run_of(network: PreTrainedModel, tokens: int = 11) -> Run:
    ids = torch.randint(3, VOCABULARY, (1, tokens), generator=torch.Generator().manual_seed(tokens))
    with record(network) as recording, torch.no_grad():
        answer = network(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
    logits = answer.logits[0] if answer.logits.dim() == 2 else answer.logits[0, -1]
    return Run(
        logits,
        [state[0] for state in answer.hidden_states],
        [call.weights(None, slice(None), slice(None)) for call in recording.calls],
    )


def parts_of(network: PreTrainedModel, run: Run) -> torch.Tensor:
    """Parts of the logits (K, labels), whose layers were checked against the model's own states."""
    found = logit_parts(stack_of(network), run.states, run.weights.__getitem__)
    assert found.error < 5e-6
    return found.parts


def off(parts: torch.Tensor, logits: torch.Tensor) -> float:
    return float((parts.sum(dim=0) - logits).abs().max() / logits.abs().max())


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("tokens", [1, 2, 11])
def test_the_parts_sum_to_the_logits_in_each_family(kind: str, tokens: int) -> None:
    network = classifier(kind)
    run = run_of(network, tokens)
    assert off(parts_of(network, run), run.logits) < 1e-5


@pytest.mark.parametrize("labels", [1, 2, 5])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "relative", "alibi", "none"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_parts_sum_to_the_logits_of_our_own_encoder(norm: str, positions: str, labels: int) -> None:
    network = own_classifier(norm, positions=positions, num_labels=labels, num_hidden_layers=1 + labels)
    run = run_of(network)
    assert off(parts_of(network, run), run.logits) < 1e-5


@pytest.mark.parametrize("norm", ["", "pre", "post"])
def test_the_parts_sum_to_the_next_token_s_logits(norm: str) -> None:
    network = language_model(norm)
    run = run_of(network)
    assert off(parts_of(network, run), run.logits) < 1e-5
