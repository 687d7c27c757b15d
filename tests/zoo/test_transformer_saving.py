"""Saved and opened again by the Auto classes, a model is the same model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSequenceClassification

import core.zoo  # noqa: F401  (registers the models)
from core.positions import TRAINABLE
from core.zoo.transformer import TransformerConfig
from tests.zoo.tiny_transformers import MODELS, inputs, network

AUTO = {
    "encoder-decoder": AutoModelForSeq2SeqLM,
    "classifier": AutoModelForSequenceClassification,
    "language model": AutoModelForCausalLM,
}


@pytest.mark.parametrize("positions", TRAINABLE)
@pytest.mark.parametrize("kind", MODELS)
def test_a_saved_model_opens_again_and_answers_the_same(kind: str, positions: str, tmp_path: Path) -> None:
    model, given = network(kind, positions=positions, norm="post", scaled=False), inputs(kind)
    model.save_pretrained(tmp_path)
    opened: Any = AUTO[kind].from_pretrained(tmp_path)
    assert type(opened) is MODELS[kind]
    with torch.no_grad():
        assert torch.equal(opened(**given).logits, model(**given).logits)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kind", ["encoder-decoder", "language model"])
def test_a_tied_output_layer_is_the_embeddings(kind: str, tied: bool, tmp_path: Path) -> None:
    model = network(kind, tie_word_embeddings=tied)
    model.save_pretrained(tmp_path)
    opened: Any = AUTO[kind].from_pretrained(tmp_path)
    assert (opened.get_output_embeddings().weight is opened.get_input_embeddings().weight) == tied
    assert ("lm_head.weight" in load_file(tmp_path / "model.safetensors")) != tied


def test_the_config_keeps_every_choice(tmp_path: Path) -> None:
    config = TransformerConfig(
        vocab_size=70, hidden_size=32, num_attention_heads=2, intermediate_size=40, positions="rotary", norm="post",
        scaled=False, dropout=0.2, id2label={0: "no", 1: "yes", 2: "perhaps"},
    )  # fmt: skip
    config.save_pretrained(tmp_path)
    opened = AutoConfig.from_pretrained(tmp_path)
    assert isinstance(opened, TransformerConfig)
    assert opened.to_dict() | {"_name_or_path": ""} == config.to_dict()
    assert opened.num_labels == 3
    assert (opened.pad_token_id, opened.bos_token_id, opened.eos_token_id, opened.decoder_start_token_id) == (
        0,
        1,
        2,
        1,
    )


def test_sizes_that_are_not_given_follow_from_the_width() -> None:
    assert TransformerConfig(hidden_size=48, num_attention_heads=3).intermediate_size == 192
    assert TransformerConfig(hidden_size=48, num_attention_heads=3).head_width == 16


@pytest.mark.parametrize("kind", ["classifier", "language model"])
def test_one_stack_says_that_it_is_no_encoder_decoder(kind: str, tmp_path: Path) -> None:
    model = network(kind)
    model.save_pretrained(tmp_path)
    assert not model.config.is_encoder_decoder
    assert not AutoConfig.from_pretrained(tmp_path).is_encoder_decoder
