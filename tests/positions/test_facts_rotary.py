"""Rotations as they were read turn queries exactly as the models' own functions do."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.positions.facts import Fact, facts_of
from core.positions.objects import Rotation
from core.positions.rotary import rotated, rotated_halves
from tests.positions.fact_networks import drawn, only_fact

LAYOUTS = {
    "llama": "half-split", "mistral": "half-split", "qwen2": "half-split", "gpt_neox": "half-split",
    "phi": "half-split", "gptj": "interleaved", "codegen": "interleaved", "cohere": "interleaved",
    "roformer": "interleaved",
}  # fmt: skip
TURNED = {"gpt_neox": 2, "phi": 4, "gptj": 4, "codegen": 4}
SCALED: dict[str, dict[str, Any]] = {
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0},
    "yarn": {"factor": 4.0, "original_max_position_embeddings": 16},
    "llama3": {
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16,
    },
    "longrope": {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4, "original_max_position_embeddings": 16},
}  # fmt: skip


def rotation(fact: Fact) -> Rotation:
    assert isinstance(fact.thing, Rotation)
    return fact.thing


def turned_by_family(network: PreTrainedModel, query: Tensor) -> Tensor:
    """The first coordinates of queries (1, T, 1, W), turned by the family's own function."""
    family, places = sys.modules[type(network).__module__], torch.arange(query.shape[1])[None]
    first, second = network.rotary_emb(query[:, :, 0], position_ids=places)
    if network.config.model_type == "gptj":
        return family.apply_rotary_pos_emb(query, first, second)
    return family.apply_rotary_pos_emb(query, query, first, second, unsqueeze_dim=2)[0]


@pytest.mark.parametrize("family", ["llama", "gptj", "cohere", "gpt_neox"])
def test_a_query_is_turned_as_the_family_turns_it(family: str) -> None:
    network = drawn(family)
    found = rotation(only_fact(network, "rotary"))
    pairs = len(found.frequencies)
    query = torch.randn(1, 20, 1, 2 * pairs, generator=torch.Generator().manual_seed(1))
    angles = torch.arange(20)[:, None] * found.frequencies.float()  # (T, P)
    turn = rotated if found.layout == "interleaved" else rotated_halves
    torch.testing.assert_close(turned_by_family(network, query)[0, :, 0], turn(query[0, :, 0], angles))


@pytest.mark.parametrize("family", LAYOUTS)
def test_pairs_and_their_number_are_the_familys(family: str) -> None:
    fact = only_fact(drawn(family), "rotary")
    found = rotation(fact)
    assert (found.layout, found.width, fact.layers) == (LAYOUTS[family], 8, None)
    assert 2 * len(found.frequencies) == TURNED.get(family, 8)
    assert found.base is not None
    expected = found.base ** (-torch.arange(len(found.frequencies)).double() / len(found.frequencies))
    torch.testing.assert_close(found.frequencies, expected, atol=0, rtol=1e-5)
    assert (found.scaling, found.factor, found.temperature) == ("none", 1.0, 1.0)


@pytest.mark.parametrize("kind", SCALED)
def test_scaling_is_read_with_the_frequencies_before_it(kind: str) -> None:
    network = drawn("llama", rope_parameters={"rope_type": kind, "rope_theta": 10_000.0, **SCALED[kind]})
    found = rotation(only_fact(network, "rotary"))
    assert torch.equal(found.frequencies, network.rotary_emb.inv_freq.double())
    torch.testing.assert_close(found.plain, 10.0 ** -torch.arange(4).double(), atol=0, rtol=1e-5)
    assert (found.scaling, found.factor) == (kind, SCALED[kind].get("factor", 4.0))
    assert found.trained == SCALED[kind].get("original_max_position_embeddings", 64)
    assert found.temperature == pytest.approx(network.rotary_emb.attention_scaling)


@pytest.mark.parametrize("family", ["gemma3_text", "modernbert"])
def test_each_kind_of_layer_has_its_own_base(family: str) -> None:
    network = drawn(family)
    kinds = network.config.layer_types
    for fact in facts_of(network):
        assert fact.layers is not None
        (kind,) = {kinds[layer] for layer in fact.layers}
        assert rotation(fact).base == network.config.rope_parameters[kind]["rope_theta"]
        assert kind in fact.source
    assert len(facts_of(network)) == 2


@pytest.mark.parametrize("family", ["smollm3", "cohere2"])
def test_layers_that_turn_nothing_are_told(family: str) -> None:
    turning, bare = facts_of(drawn(family))
    assert (turning.scheme, turning.layers) == ("rotary", (0, 1, 2))
    assert (bare.scheme, bare.layers, bare.thing) == ("none", (3,), None)


def test_frequencies_that_are_not_those_of_the_config_are_told() -> None:
    network = drawn("llama")
    network.rotary_emb.inv_freq.mul_(0.5)
    fact = only_fact(network, "rotary")
    assert any("not those of the base" in note for note in fact.notes)
