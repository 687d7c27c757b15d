"""A base against its fine-tuned self: what moved, by how much, and in which part of which layer."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import pytest
import torch
from torch import nn
from transformers import AutoModel, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification, PreTrainedModel

from core import load
from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.job import Cancelled, Progress
from core.models import moved as module
from core.models.moved import LayerMove, Moved, moved
from core.models.moved_parts import ATTENTION, places_of
from tests.tiny import ONE_STACK, TWO_STACKS, VOCABULARY, WIDTH, joined_config, network_of, tiny_config, tiny_network

OF_A_LAYER = {*ATTENTION, "feed-forward", "norm"}
FUSED = {"gpt2": "c_attn", "gpt_neox": "query_key_value", "modernbert": "Wqkv", "phi3": "qkv_proj"}


def with_changes(network: PreTrainedModel, *parts: str) -> PreTrainedModel:
    """A copy in which every tensor whose name holds one of these is half as large again."""
    other = copy.deepcopy(network)
    for name, weight in other.named_parameters():
        if any(part in name for part in parts):
            weight *= 1.5
    return other


def at(found: Moved, layer: int | None, part: str, stack: str = "") -> LayerMove:
    return next(move for move in found.layers if (move.layer, move.part, move.stack) == (layer, part, stack))


def those_moved(found: Moved) -> set[tuple[int | None, str]]:
    return {(move.layer, move.part) for move in found.layers if move.relative != 0}


@pytest.mark.parametrize("kind", ["bert", "gpt2", "t5"])
def test_identical_networks_have_not_moved_at_all(kind: str):
    network = tiny_network(kind)
    found = moved(network, copy.deepcopy(network))
    assert found.same
    assert {(move.relative, move.cosine, move.largest) for move in found.layers} == {(0.0, 1.0, 0.0)}
    assert sum(move.count for move in found.layers) == network.num_parameters()
    assert found.only_base == found.only_tuned == found.other_shape == found.common_rows == ()


def test_the_numbers_are_those_of_the_formula():
    base = tiny_network("bert")
    tuned = copy.deepcopy(base)
    query = tuned.encoder.layer[1].attention.self.query
    query.weight += torch.randn(WIDTH, WIDTH, generator=torch.Generator().manual_seed(0))
    query.bias += 0.5
    found = moved(base, tuned)
    before, after = (
        torch.cat([weight.flatten() for weight in network.encoder.layer[1].attention.self.query.parameters()]).double()
        for network in (base, tuned)
    )
    move = at(found, 1, "attention query")
    assert move.relative == pytest.approx(float((after - before).norm() / before.norm()), rel=1e-12)
    assert move.cosine == pytest.approx(float(nn.functional.cosine_similarity(after, before, dim=0)), rel=1e-12)
    assert move.largest == float((after - before).abs().max())
    assert move.count == WIDTH * WIDTH + WIDTH
    assert those_moved(found) == {(1, "attention query")}
    assert found.most[0] == move
    assert not found.same


def test_what_was_scaled_moved_along_itself():
    base = tiny_network("bert")
    move = at(moved(base, with_changes(base, "layer.2.intermediate", "layer.2.output")), 2, "feed-forward")
    assert move.relative == pytest.approx(0.5, rel=1e-6)
    assert move.cosine == pytest.approx(1, abs=1e-7)


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch):
    base = tiny_network("llama")
    tuned = with_changes(base, "mlp", "norm")
    whole = moved(base, tuned)
    monkeypatch.setattr(module, "BLOCK", 100)
    for one, other in zip(whole.layers, moved(base, tuned).layers, strict=True):
        assert one.relative == pytest.approx(other.relative, rel=1e-12)
        assert (one.largest, one.count, one.part) == (other.largest, other.count, other.part)


def test_number_formats_are_compared_in_float64():
    base = tiny_network("bert")
    rounded = copy.deepcopy(base).to(torch.bfloat16)
    move = at(moved(base, rounded), 0, "attention key")
    assert 0 < move.relative < 2**-8
    assert moved(rounded, copy.deepcopy(rounded)).same


@pytest.mark.parametrize("kind", [*ONE_STACK, *TWO_STACKS])
def test_every_architecture_has_its_parts_told(kind: str):
    with torch.device("meta"):
        network = AutoModel.from_config(tiny_config(kind))
    places = places_of(network, [name for name, _ in network.named_parameters()]).values()
    stacks = {"encoder", "decoder", "cross"} if kind in TWO_STACKS else {""}
    assert {place.stack for place in places if place.layer is not None} == stacks
    inside = {place.part for place in places if place.layer is not None}
    if fused := FUSED.get(kind):
        assert inside == {"attention output", "feed-forward", "norm", fused}
    else:
        assert inside - {"relative_attention_bias", "q_norm", "k_norm"} == OF_A_LAYER
    assert "embedding" in {place.part for place in places if place.layer is None}


def test_stacks_of_two_joined_models_are_called_by_their_side():
    network = network_of(joined_config("bert", "gpt2"), auto=AutoModelForSeq2SeqLM)
    names = [name for name, _ in network.named_parameters()]
    assert {place.stack for place in places_of(network, names).values()} == {"", "encoder", "decoder", "cross"}
    short = [name.removeprefix("encoder.").removeprefix("decoder.transformer.") for name in names]
    assert {place.stack for place in places_of(network, short).values()} == {"", "encoder", "decoder", "cross"}


def test_recurrent_layers_are_layers():
    network = nn.ModuleDict({"embed": nn.Embedding(5, 4), "lstm": nn.LSTM(4, 4, num_layers=2, bidirectional=True)})
    found = moved(network, copy.deepcopy(network))
    assert [(move.layer, move.part) for move in found.layers] == [(None, "embedding"), (0, "LSTM"), (1, "LSTM")]


def classifier(labels: int = 2) -> PreTrainedModel:
    return network_of(tiny_config("bert", num_labels=labels), auto=AutoModelForSequenceClassification)


def test_a_head_of_its_own_is_left_out_and_prefixes_do_not_matter():
    tuned = classifier()
    base = copy.deepcopy(tuned.bert)
    found = moved(base, nn.DataParallel(with_changes(tuned, "layer.0.attention.self.value")))
    assert those_moved(found) == {(0, "attention value")}
    assert found.only_tuned == ("module.classifier.weight", "module.classifier.bias")
    assert found.only_base == ()


def test_heads_of_other_classes_are_not_compared():
    found = moved(classifier(2), classifier(5))
    assert found.other_shape == ("classifier.weight", "classifier.bias")
    assert found.common_rows == ()


def causal(**changes: object) -> PreTrainedModel:
    from transformers import AutoModelForCausalLM

    return network_of(tiny_config("llama", **changes), auto=AutoModelForCausalLM)


def test_tied_weights_count_once_and_have_no_lack_of_partners():
    tied = causal(tie_word_embeddings=True)
    assert tied.lm_head.weight is tied.model.embed_tokens.weight
    found = moved(tied, copy.deepcopy(tied))
    assert at(found, None, "embedding").count == VOCABULARY * WIDTH
    assert not any(move.part == "head" for move in found.layers)
    assert moved(tied.model, tied).only_tuned == ()
    untied = moved(tied, with_changes(causal(tie_word_embeddings=False), "lm_head"))
    assert at(untied, None, "head").relative > 0


@pytest.mark.parametrize("tied", [True, False])
def test_a_vocabulary_that_grew_is_compared_on_the_rows_of_both(tied: bool):
    base = causal(tie_word_embeddings=tied)
    tuned = copy.deepcopy(base)
    tuned.resize_token_embeddings(VOCABULARY + 3, mean_resizing=False)
    found = moved(base, tuned)
    assert found.same
    assert at(found, None, "embedding").count == VOCABULARY * WIDTH
    assert found.common_rows[0] == "model.embed_tokens.weight: the first 96 rows, which both have, of 96 and 99"
    assert len(found.common_rows) == 1 + (not tied)
    assert found.other_shape == ()


def test_another_vocabulary_is_no_grown_one():
    found = moved(causal(), causal(vocab_size=3 * VOCABULARY))
    assert found.other_shape == ("model.embed_tokens.weight", "lm_head.weight")


def test_what_was_zero_moved_infinitely_far():
    base = tiny_network("bert")
    tuned = copy.deepcopy(base)
    for part in ("weight", "bias"):
        getattr(base.pooler.dense, part).zero_()
    move = at(moved(base, tuned), None, "pooler")
    assert move.relative == math.inf
    assert math.isnan(move.cosine)


def test_what_is_no_number_is_no_number_and_not_the_same():
    base = tiny_network("bert")
    tuned = copy.deepcopy(base)
    tuned.encoder.layer[0].output.dense.weight[0, 0] = math.nan
    found = moved(base, tuned)
    move = at(found, 0, "feed-forward")
    assert all(math.isnan(value) for value in (move.relative, move.cosine, move.largest))
    assert not found.same
    assert found.most[-1] == move


@pytest.mark.parametrize("other", [lambda: tiny_network("gpt2"), lambda: tiny_network("bert", hidden_size=16)])
def test_strangers_are_refused(other: Callable[[], PreTrainedModel]):
    with pytest.raises(HeadlightError, match="choose two of one architecture and size"):
        moved(tiny_network("bert"), other())


def test_weights_on_the_disk_are_refused():
    network = tiny_network("bert")
    with pytest.raises(HeadlightError, match="weights of the fine-tuned model lie on the disk"):
        moved(network, copy.deepcopy(network).to("meta"))


def test_a_job_hears_how_far_it_is_and_stops_it():
    heard: list[Progress] = []
    network = tiny_network("bert")
    moved(network, network, Job("me", "compare", heard.append))
    assert [progress.done for progress in heard] == list(range(heard[0].total))
    stopped = Job("me", "compare")
    stopped.cancel()
    with pytest.raises(Cancelled):
        moved(network, network, stopped)


def test_of_an_adapted_model_the_adapted_matrices_moved_and_nothing_else(minilm):
    found = moved(minilm.network, load("sentiment-minilm-lora").network)
    assert those_moved(found) == {(layer, f"attention {part}") for layer in range(6) for part in ("query", "value")}
    still = [move for move in found.layers if move.part not in ("attention query", "attention value")]
    assert {(move.relative, move.cosine, move.largest) for move in still} == {(0.0, 1.0, 0.0)}
    assert [(move.layer, move.part) for move in found.most[:2]] == [(5, "attention value"), (5, "attention query")]
    assert found.most[0].relative == pytest.approx(0.198456, abs=1e-6)
    assert found.only_tuned == ("classifier.weight", "classifier.bias")
    assert found.only_base == found.other_shape == ()
