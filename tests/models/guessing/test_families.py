"""Tiny networks of each family are told from names and shapes alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import transformers

from core.models.catalogue import find
from core.models.checking_files.safetensors_header import header_of
from core.models.estimate import sketch
from core.models.guessing import Guess, answered, guesses, places, revised
from core.models.guessing.asking import heads
from core.models.opening.configs import read_config
from core.models.shipped import WEIGHTS
from core.zoo import ARCHITECTURES
from tests.tiny import WIDTH, tiny_config

Shapes = dict[str, tuple[int, ...]]

# Of a width that three numbers of heads divide as usual.
_NARROW = {"hidden_size": WIDTH, "n_layer": 3, "n_head": 4}
NETWORKS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "BertModel": ("bert", "embeddings", {}),
    "BertForMaskedLM": ("bert", "", {}),
    "BertForPreTraining": ("bert", "", {}),
    "BertForSequenceClassification": ("bert", "", {"num_labels": 5}),
    "BertForTokenClassification": ("bert", "", {"num_labels": 5}),
    "BertForQuestionAnswering": ("bert", "", {}),
    "RobertaForMaskedLM": ("roberta", "", {"type_vocab_size": 1}),
    "RobertaForSequenceClassification": ("roberta", "", {}),
    "DistilBertModel": ("distilbert", "", {}),
    "DistilBertForMaskedLM": ("distilbert", "", {}),
    "DistilBertForSequenceClassification": ("distilbert", "", {"num_labels": 4}),
    "ElectraModel": ("electra", "", {}),
    "ElectraForPreTraining": ("electra", "", {}),
    "ElectraForMaskedLM": ("electra", "", {}),
    "AlbertModel": ("albert", "", {}),
    "AlbertForMaskedLM": ("albert", "", {}),
    "GPT2LMHeadModel": ("gpt2", "", {"n_inner": 40}),
    "GPT2ForSequenceClassification": ("gpt2", "", {}),
    "LlamaModel": ("llama", "", {}),
    "LlamaForCausalLM": ("llama", "", {"num_key_value_heads": 1}),
    "LlamaForSequenceClassification": ("llama", "", {"attention_bias": True, "mlp_bias": True}),
    "Qwen2ForCausalLM": ("qwen2", "", {}),
    "Qwen3ForCausalLM": ("qwen3", "", {}),
    "GPTNeoXForCausalLM": ("gpt_neox", "", {}),
    "BloomForCausalLM": ("bloom", "", _NARROW),
    "OPTForCausalLM": ("opt", "", {}),
    "OPTForSequenceClassification": ("opt", "", {"word_embed_proj_dim": 16, "do_layer_norm_before": False}),
    "T5ForConditionalGeneration": ("t5", "", {}),
    "T5EncoderModel": ("t5", "", {"feed_forward_proj": "gated-gelu", "d_kv": 10, "is_encoder_decoder": False}),
    "BartForConditionalGeneration": ("bart", "", {}),
    "BartForSequenceClassification": ("bart", "", {}),
    "BartModel": ("bart", "", {}),
    "MarianMTModel": ("marian", "", {}),
}
OURS = [
    "en-fr-gru", "en-fr-gru-bahdanau", "en-fr-lstm-luong", "zh-en-gru-bahdanau", "en-fr-transformer", "lm-learned",
    "lm-relative", "lm-rotary", "sentiment-transformer", "sentiment-bilstm-additive-0", "sentiment-cnn-additive",
    "sentiment-bilstm-uniform", "sentiment-bilstm-dot", "sentiment-mlp-own",
]  # fmt: skip


def config_of(architecture: str) -> Any:
    kind, _, changes = NETWORKS[architecture]
    return tiny_config(kind, **changes)


def shapes_of(architecture: str) -> Shapes:
    drawn = sketch(getattr(transformers, architecture), config_of(architecture))
    return {name: tuple(tensor.shape) for name, tensor in drawn.state_dict().items()}


def best(shapes: Shapes) -> Guess:
    found = guesses(shapes)
    assert found
    return found[0]


def assert_told(guess: Guess, truth: dict[str, Any]) -> None:
    """Every size that the guess states is the true one, but for what it asks and what follows from that."""
    asked = {question.name for question in guess.open_questions} | {"architectures", "model_type"}
    asked |= {"head_dim", "num_key_value_heads"} if "num_attention_heads" in asked else set()
    asked |= {"d_kv"} if "num_heads" in asked else set()
    wrong = {
        name: (value, truth.get(name))
        for name, value in guess.config.items()
        if name not in asked and not name.endswith(("_token_id", "num_labels", "use_cache", "tie_word_embeddings"))
        if value != truth.get(name)
    }
    assert not wrong


@pytest.mark.parametrize("architecture", NETWORKS)
def test_a_network_is_told_from_its_names_and_shapes(architecture: str) -> None:
    config = config_of(architecture)
    guess = best(shapes_of(architecture))
    assert (guess.model_type, guess.architecture) == (NETWORKS[architecture][0], architecture)
    assert (guess.share, guess.missing, guess.left) == (1.0, (), ())
    assert guess.config["model_type"] == guess.model_type
    assert_told(guess, config.to_dict())
    if "num_labels" in guess.config:
        assert guess.config["num_labels"] == config.num_labels


@pytest.mark.parametrize("name", OURS)
def test_headlights_own_networks_are_told(name: str) -> None:
    truth = json.loads((WEIGHTS / name / "config.json").read_text())
    guess = best(header_shapes(WEIGHTS / name / "model.safetensors"))
    assert (guess.model_type, [guess.architecture]) == (truth["model_type"], truth["architectures"])
    assert (guess.share, guess.missing, guess.left) == (1.0, (), ())
    if truth.get("encoder") != "cnn" and truth.get("attention") != "none":
        truth.setdefault("input_feeding", False)
    assert_told(guess, truth)


def header_shapes(path: Any) -> Shapes:
    return {name: entry.shape for name, entry in header_of(path).tensors.items()}


def test_minilm_is_told_from_its_real_header() -> None:
    entry = find("all-MiniLM-L6-v2")
    assert entry is not None
    folder = entry.open_folder(None)
    guess = best(header_shapes(folder / "model.safetensors"))
    truth = json.loads((folder / "config.json").read_text())
    assert guess.architecture == "BertModel"
    assert (guess.share, guess.missing) == (1.0, ())
    assert_told(guess, truth)
    assert guess.config["num_attention_heads"] == truth["num_attention_heads"] == 12
    assert "(30522, 384)" in guess.reason


@pytest.mark.parametrize("prefix", ["module.", "model.", "_orig_mod.", "_orig_mod.module.model."])
@pytest.mark.parametrize("architecture", ["BertForMaskedLM", "LlamaForCausalLM", "T5ForConditionalGeneration"])
def test_a_wrappers_prefix_does_not_matter(architecture: str, prefix: str) -> None:
    shapes = shapes_of(architecture)
    guess = best({prefix + name: shape for name, shape in shapes.items()})
    assert (guess.architecture, guess.share) == (architecture, 1.0)
    assert places({prefix + name: shape for name, shape in shapes.items()}, guess).names == {
        prefix + name: name for name in shapes
    }


def test_a_prefix_that_nobody_knows_does_not_matter_either() -> None:
    shapes = {f"backbone.my_lm.{name}": shape for name, shape in shapes_of("GPT2LMHeadModel").items()}
    guess = best(shapes | {"my_head.weight": (3, WIDTH)})
    assert (guess.architecture, guess.missing, guess.left) == ("GPT2LMHeadModel", (), ("my_head.weight",))
    assert places(shapes, guess).names["backbone.my_lm.lm_head.weight"] == "lm_head.weight"


def test_a_head_that_is_not_known_is_left() -> None:
    guess = best(shapes_of("BertModel") | {"my_head.weight": (7, WIDTH)})
    assert (guess.architecture, guess.left) == ("BertModel", ("my_head.weight",))
    assert 0.9 < guess.share < 1


def test_a_layer_that_the_file_lacks_is_missing() -> None:
    shapes = {name: shape for name, shape in shapes_of("LlamaForCausalLM").items() if ".layers.1." not in name}
    guess = best(shapes)
    assert (guess.config["num_hidden_layers"], guess.share) == (3, 1.0)
    assert guess.missing
    assert all(".layers.1." in name for name in guess.missing)


def test_a_layer_of_another_shape_is_missing_and_left() -> None:
    shapes = shapes_of("GPT2LMHeadModel") | {"transformer.h.1.mlp.c_fc.bias": (5,)}
    guess = best(shapes)
    assert guess.missing == guess.left == ("transformer.h.1.mlp.c_fc.bias",)


def test_a_head_tied_to_the_words_is_not_missed() -> None:
    shapes = shapes_of("LlamaForCausalLM")
    del shapes["lm_head.weight"]
    guess = best(shapes)
    assert (guess.architecture, guess.share, guess.missing) == ("LlamaForCausalLM", 1.0, ())
    assert guess.config["tie_word_embeddings"] is True


def test_mistral_has_llamas_tensors_and_is_guessed_beside_it() -> None:
    kinds = [guess.model_type for guess in guesses(shapes_of("LlamaForCausalLM"))]
    assert kinds[:2] == ["llama", "mistral"]


def test_masks_and_norms_of_older_versions_are_known() -> None:
    shapes = shapes_of("BertModel")
    old = {name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): s for name, s in shapes.items()}
    guess = best(old | {"embeddings.position_ids": (1, 64)})
    assert (guess.share, guess.missing, guess.left) == (1.0, (), ())


def test_the_number_of_heads_is_asked_and_what_is_shared_follows() -> None:
    config = tiny_config("llama", hidden_size=256, head_dim=64)
    drawn = sketch(transformers.LlamaModel, config)
    guess = best({name: tuple(tensor.shape) for name, tensor in drawn.state_dict().items()})
    question = next(q for q in guess.open_questions if q.name == "num_attention_heads")
    assert (question.value, question.options) == (4, (2, 4, 8))
    answer = answered(guess, {"num_attention_heads": 8})
    assert (answer["head_dim"], answer["num_key_value_heads"], answer["hidden_size"]) == (32, 4, 256)


def test_equal_tensors_give_equal_guesses() -> None:
    shapes = shapes_of("BertForMaskedLM")
    assert guesses(shapes) == guesses(shapes)
    assert len(guesses(shapes, most=1)) == 1


def test_a_guess_with_other_values_is_judged_again() -> None:
    shapes = shapes_of("BertForMaskedLM")
    guess = best(shapes)
    assert revised(shapes, guess, {}) == guess
    deeper = revised(shapes, guess, {"num_hidden_layers": 4, "layer_norm_eps": 1e-6})
    assert deeper is not None
    assert (deeper.share, deeper.left) == (1.0, ())
    assert all(".layer.3." in name for name in deeper.missing)
    assert {q.name: q.value for q in deeper.open_questions}["layer_norm_eps"] == 1e-6
    assert revised(shapes, guess, {"num_hidden_layers": 10**6}) is None
    assert revised(shapes, guess, {"num_attention_heads": 5}) is None
    assert revised(shapes, guess, {"hidden_size": "32; rm"}) is None


@pytest.mark.parametrize(
    ("width", "keys", "usual", "count"),
    [
        (768, 0, 64, 12),
        (1_600, 0, 64, 25),
        (2_560, 0, 80, 32),
        (576, 192, 64, 9),
        (4_096, 1_024, 128, 32),
        (88, 0, 32, 4),
        (48, 0, 64, 4),
        (24, 24, 64, 4),
        (6, 0, 64, 2),
    ],
)
def test_published_numbers_of_heads_are_taken(width: int, keys: int, usual: int, count: int) -> None:
    question = heads("num_attention_heads", width, usual, group=keys)
    assert count in question.options
    assert question.value == count


@pytest.mark.parametrize(
    "architecture", ["BertForSequenceClassification", "LlamaForCausalLM", "GPTNeoXForCausalLM", "MarianMTModel"]
)
def test_a_guessed_config_is_one_that_transformers_reads(architecture: str, tmp_path: Path) -> None:
    guess = best(shapes_of(architecture))
    bases = {question.name: 500_000.0 for question in guess.open_questions if question.value == 10_000.0}
    (tmp_path / "config.json").write_text(json.dumps(answered(guess, bases)))
    config = read_config("it", tmp_path)
    drawn = sketch(getattr(transformers, architecture), config)
    assert {name: tuple(tensor.shape) for name, tensor in drawn.state_dict().items()} == shapes_of(architecture)
    if bases:
        assert config.rope_parameters["rope_theta"] == 500_000.0


def test_every_class_of_ours_is_one_that_loading_finds() -> None:
    assert {best(header_shapes(WEIGHTS / name / "model.safetensors")).architecture for name in OURS} <= set(
        ARCHITECTURES
    )
