"""Vectors by offset, our own networks, and networks whose numbers or configs are not as they should be."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from transformers import AutoModel

from core import load
from core.models.card import positional_scheme
from core.positions.facts import facts_of
from core.positions.objects import Bias, OffsetVectors, Rotation, Table
from core.positions.shaw import CLIP
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.language_model import TransformerForCausalLM
from tests.positions.fact_networks import drawn, only_fact

THINGS = {
    "none": type(None),
    "sinusoidal": Table,
    "learned": Table,
    "relative": Bias,
    "rotary": Rotation,
    "alibi": Bias,
}
WORDS = {
    "bert": "learned", "marian": "sinusoidal", "t5": "relative bias", "mpnet": "relative bias", "bloom": "ALiBi",
    "mpt": "ALiBi", "gptj": "rotary", "deberta": "disentangled", "deberta-v2": "disentangled",
    "wav2vec2-bert": "Shaw relative", "xlnet": "Transformer-XL relative", "jamba": "recurrence",
}  # fmt: skip


@pytest.mark.parametrize("family", ["deberta", "deberta-v2"])
def test_debertas_rows_are_those_that_it_gathers(family: str) -> None:
    network = drawn(family)
    vectors = only_fact(network, "deberta").thing
    assert isinstance(vectors, OffsetVectors)
    assert torch.equal(vectors.values, network.encoder.get_rel_embedding())
    count, reach = len(vectors.values) // 2, len(vectors.buckets.numbers) // 2
    states = torch.zeros(1, 40, 32)
    rows = (network.encoder.get_rel_pos(states)[0].long() + count).clamp(0, 2 * count - 1)  # (T, T)
    offsets = torch.arange(40)[None, :] - torch.arange(40)[:, None]  # (T, T)
    assert torch.equal(vectors.buckets.numbers[offsets + reach], rows)


def test_shaws_vectors_of_an_encoder_of_speech_are_clipped_on_each_side_by_its_config() -> None:
    first, second = facts_of(drawn("wav2vec2-bert"))
    assert (first.scheme, first.layers, second.layers) == ("shaw", (0,), (1,))
    assert isinstance(first.thing, OffsetVectors)
    reach = len(first.thing.buckets.numbers) // 2
    read = [int(first.thing.buckets.numbers[offset + reach]) for offset in (-100, -64, -1, 0, 8, 100)]
    assert read == [0, 0, 63, 64, 72, 72]


@pytest.mark.parametrize("scheme", THINGS)
def test_each_shipped_twin_has_its_scheme(scheme: str) -> None:
    model = load(f"lm-{scheme}")
    (fact,) = facts_of(model.network)
    assert (fact.scheme, fact.stack, fact.layers) == (scheme, "self", None)
    assert isinstance(fact.thing, THINGS[scheme])
    if isinstance(fact.thing, Bias):
        reach = fact.thing.values.shape[1] // 2
        (encoding,) = (m for n, m in model.network.named_modules() if n.endswith("positions"))
        bias = encoding.bias(30, 30)
        assert torch.equal(bias[:, 29], fact.thing.values[:, reach - 29 : reach + 1])


def test_both_stacks_of_the_chinese_english_model_are_told() -> None:
    facts = facts_of(load("zh-en-transformer").network)
    assert [fact.stack for fact in facts] == ["encoder", "decoder"]
    assert all(fact.thing is not None for fact in facts)


def test_shaws_vectors_of_our_own_networks_are_their_table() -> None:
    config = TransformerConfig(positions="shaw", is_encoder_decoder=False)
    network = TransformerForCausalLM(config)
    (fact,) = facts_of(network)
    assert isinstance(fact.thing, OffsetVectors)
    assert (fact.scheme, len(fact.thing.values), fact.thing.buckets.causal) == ("shaw", 2 * CLIP + 1, True)
    assert positional_scheme(network) == "Shaw relative"


@pytest.mark.parametrize("family", ["bert", "marian", "t5", "llama", "gptj", "deberta-v2"])
def test_a_network_without_numbers_in_memory_says_so(family: str) -> None:
    told = {fact.scheme for fact in facts_of(drawn(family))}
    with torch.device("meta"):
        network = AutoModel.from_config(drawn(family).config)
    facts = facts_of(network)
    assert {fact.scheme for fact in facts} == told
    assert all(fact.thing is None and "not in memory" in " ".join(fact.notes) for fact in facts)


@pytest.mark.parametrize("family", ["bert", "marian", "t5", "llama", "bloom"])
def test_half_the_precision_gives_the_same_facts(family: str) -> None:
    facts, halved = facts_of(drawn(family)), facts_of(drawn(family).to(torch.bfloat16))
    assert [(fact.scheme, fact.source) for fact in facts] == [(fact.scheme, fact.source) for fact in halved]
    assert all(fact.thing is not None for fact in halved)


def test_what_a_broken_config_says_is_no_error() -> None:
    network = drawn("llama")
    network.config = network.rotary_emb.config = SimpleNamespace(rope_parameters="yes", num_attention_heads=None)
    (fact,) = facts_of(network)
    assert isinstance(fact.thing, Rotation)
    assert (fact.scheme, fact.thing.base, fact.thing.width) == ("rotary", 10_000.0, 8)
    assert facts_of(nn.Linear(2, 2)) == ()
    assert facts_of(load("sentiment-bilstm-additive-0").network) == ()


@pytest.mark.parametrize("family", WORDS)
def test_the_card_names_the_scheme(family: str) -> None:
    assert positional_scheme(drawn(family)) == WORDS[family]
