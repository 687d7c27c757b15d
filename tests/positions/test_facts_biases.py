"""Where queries and keys are zero, only the bias is left: the logarithm of the weights, up to a row's constant."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core import load
from core.capture import prepare, record
from core.positions.facts import facts_of
from core.positions.objects import Bias
from core.positions.relative import buckets
from tests.positions.fact_networks import drawn, inputs, only_fact

QUERIES = ("q.weight", "q.bias", "query_key_value.weight", "query_key_value.bias", "Wqkv.weight")
T5 = ("t5", "mt5", "umt5")


def without_contents(family: str, **changes: object) -> PreTrainedModel:
    """A network whose queries are zero; one projection may hold keys and values as well, which do not matter then."""
    network = drawn(family, **changes)
    for name, weight in network.named_parameters():
        if name.endswith(QUERIES):
            weight.zero_()
        elif name.endswith("relative_attention_bias.weight"):
            weight.normal_()
    return network


@torch.no_grad()
def weights(network: PreTrainedModel, stream: str, layer: int = 0) -> Tensor:
    """Of one layer, as the model computes them: (H, T, T)."""
    prepare(network, inputs(network))
    with record(network) as recording:
        network(**inputs(network))
    return [call for call in recording.calls if call.stream == stream][layer].weights()


def bias_of(found: Bias, length: int) -> Tensor:
    """What is added to each score: (H, T, T)."""
    reach = found.values.shape[1] // 2
    offsets = torch.arange(length)[None, :] - torch.arange(length)[:, None]  # (T, T)
    bias = found.values[:, offsets + reach]  # (H, 2R + 1) -> (H, T, T)
    return bias.masked_fill(offsets > 0, -torch.inf) if found.causal else bias


@pytest.mark.parametrize(
    ("family", "scheme", "stack"),
    [
        *((family, "relative", stack) for family in T5 for stack in ("encoder", "decoder")),
        ("longt5", "relative", "decoder"),
        ("mpnet", "relative", "self"),
        ("bloom", "alibi", "self"),
        ("mpt", "alibi", "self"),
        ("falcon", "alibi", "self"),
    ],
)
def test_the_softmax_of_the_bias_is_what_the_model_attends_to_without_contents(
    family: str, scheme: str, stack: str
) -> None:
    network = without_contents(family)
    facts = [fact for fact in facts_of(network) if (fact.scheme, fact.stack) == (scheme, stack)]
    last = facts[-1]
    layer = last.layers[0] if last.layers else 1
    assert isinstance(last.thing, Bias)
    expected = bias_of(last.thing, 12).softmax(-1)
    assert float(expected.std()) > 0.01
    # Falcon rounds its slopes to bfloat16.
    torch.testing.assert_close(
        weights(network, stack, layer), expected, atol=5e-3 if family == "falcon" else 1e-5, rtol=0
    )


def test_one_layer_of_t5_owns_the_table_and_each_of_umt5_has_its_own() -> None:
    shared, own = facts_of(drawn("t5")), facts_of(drawn("umt5"))
    assert [(fact.stack, fact.layers) for fact in shared] == [("encoder", None), ("decoder", None)]
    assert "Layer 0 owns the table, and all layers of the stack use it." in shared[0].notes
    assert [fact.layers for fact in own if fact.stack == "decoder"] == [(0,), (1,), (2,)]


def test_buckets_of_t5_start_where_methods_md_measured() -> None:
    encoder, decoder = (fact.thing for fact in facts_of(drawn("t5")))
    assert isinstance(encoder, Bias)
    assert isinstance(decoder, Bias)
    assert encoder.starts == (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91)
    assert decoder.starts == (*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113)
    assert (encoder.causal, decoder.causal, encoder.values.shape) == (False, True, (4, 2 * 256 + 1))


def test_the_bias_of_t5_is_read_from_its_table_by_bucket() -> None:
    network = drawn("t5", relative_attention_num_buckets=8, relative_attention_max_distance=20)
    found = only_fact(network, "relative", "encoder").thing
    assert isinstance(found, Bias)
    table = network.encoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight
    for offset in (-40, -3, 0, 5, 40):
        bucket = buckets(torch.tensor(offset), False, 8, 20)
        assert torch.equal(found.values[:, offset + 40], table[bucket])


@pytest.mark.parametrize("heads", [4, 8])
def test_the_slopes_of_bloom_are_the_papers(heads: int) -> None:
    found = only_fact(drawn("bloom", n_head=heads), "alibi").thing
    assert isinstance(found, Bias)
    assert found.slopes is not None
    expected = [2 ** (-8 * head / heads) for head in range(1, heads + 1)]
    assert found.slopes.tolist() == pytest.approx(expected)


def test_the_slopes_of_falcon_are_divided_by_the_root_of_the_heads_width() -> None:
    fact = only_fact(drawn("falcon"), "alibi")
    assert isinstance(fact.thing, Bias)
    assert fact.thing.slopes is not None
    assert float(fact.thing.slopes[0]) == pytest.approx(0.25 / 8**0.5)
    assert "√8" in fact.notes[0]


def test_what_mpt_says_and_does_not_do_is_told() -> None:
    fact = only_fact(drawn("mpt", attn_config={"alibi_bias_max": 16}), "alibi")
    assert isinstance(fact.thing, Bias)
    assert fact.thing.slopes is not None
    assert float(fact.thing.slopes[0]) == 0.25
    assert any("alibi_bias_max 16" in note for note in fact.notes)


def test_distances_that_training_never_met_are_said() -> None:
    """The twin read 64 tokens, and the bucket that distance 63 falls into ends at 66."""
    (fact,) = facts_of(load("lm-relative").network)
    assert fact.notes[-1].startswith("From distance 67 on the table is exactly 0")
    assert not any("exactly 0" in note for note in only_fact(drawn("t5"), "relative", "encoder").notes)
