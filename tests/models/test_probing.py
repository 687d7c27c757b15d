from pathlib import Path

import pytest
import tokenizers
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.models.probing import LENGTH, probe_inputs
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
