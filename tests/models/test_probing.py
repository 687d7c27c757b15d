from pathlib import Path

import pytest
import tokenizers
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.models.opening.probing import LENGTH, probe_inputs
from tests.tiny import save_model


@pytest.mark.parametrize(
    ("kind", "auto"),
    [("bert", AutoModel), ("roberta", AutoModel), ("gpt2", AutoModelForCausalLM), ("t5", AutoModelForSeq2SeqLM)],
)
def test_two_texts_are_tried_and_one_is_padded(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, auto: object
) -> None:
    save_model(tmp_path, kind, auto, byte_level)
    model = load(str(tmp_path), device="cpu")
    inputs = probe_inputs(model.network, model.encoder, "cpu")
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    assert ids.shape == mask.shape == (2, LENGTH)
    assert mask[0].all()
    assert 0 < mask[1].sum() < LENGTH
    assert (ids[mask == 0] == model.network.config.pad_token_id).all()
    assert ("decoder_input_ids" in inputs) == model.network.config.is_encoder_decoder
    with torch.no_grad():
        model.network(**inputs)


def test_no_id_beyond_the_embeddings_reaches_the_network(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "gpt2", AutoModelForCausalLM, byte_level)
    model = load(str(tmp_path), device="cpu")
    model.network.config.pad_token_id = 10**6
    model.network.generation_config = None
    model.network.set_input_embeddings(torch.nn.Embedding(5, 32))
    assert probe_inputs(model.network, model.encoder, "cpu")["input_ids"].max() < 5
