"""Recurrent taggers: what a token's label is read from, and that padding is no part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForTokenClassification

from core import load
from core.capture import check_of, prepare, record
from core.zoo.tagging import RecurrentForTokenClassification, TaggingConfig
from tests.sentences import refused
from tests.zoo.checkpoints import saved

TAGGER = "RecurrentForTokenClassification"
TEXTS = torch.tensor([[4, 5, 6, 7, 3], [8, 9, 3, 0, 0]])
INPUTS = {"input_ids": TEXTS, "attention_mask": (TEXTS != 0).long()}
KINDS = [("additive", "lstm"), ("sum", "gru"), ("dot", "tanh"), ("uniform", "lstm")]


def small(attention: str = "additive", **options: Any) -> RecurrentForTokenClassification:
    torch.manual_seed(0)
    config = TaggingConfig(
        vocab_size=12, hidden_size=16, embedding_size=8, num_labels=3, attention=attention, num_hidden_layers=2,
        **options,
    )  # fmt: skip
    return RecurrentForTokenClassification(config).eval()


@pytest.mark.parametrize(("attention", "cell"), KINDS)
@torch.no_grad()
def test_a_run_is_one_map_over_the_text_itself(attention: str, cell: str) -> None:
    network = small(attention, cell=cell)
    assert prepare(network, INPUTS) == "tap"
    with record(network) as recording:
        output = network(**INPUTS, output_attentions=True)
    (call,) = recording.calls
    assert (call.stream, call.heads, call.queries, call.keys) == ("self", 1, 5, 5)
    assert output.logits.shape == (2, 5, 3)
    for text in range(2):
        assert torch.equal(call.weights(batch=text), output.attentions[0][text])
    assert check_of(recording.errors(), torch.float32, recording.roundings()).passed


@torch.no_grad()
def test_padding_changes_nothing() -> None:
    network = small()
    padded = network(**INPUTS).logits[1, :3]
    torch.testing.assert_close(padded, network(input_ids=TEXTS[1:, :3]).logits[0], atol=1e-6, rtol=0)


@torch.no_grad()
def test_a_label_is_read_from_the_weighted_states() -> None:
    network = small()
    states = network.encoder(network.embedding(TEXTS), INPUTS["attention_mask"]).each
    output = network(**INPUTS, output_attentions=True)
    expected = network.classifier(output.attentions[0][:, 0] @ states)
    torch.testing.assert_close(output.logits, expected)


def test_a_checkpoint_opens_and_is_traced(tmp_path: Path) -> None:
    network = saved(tmp_path, TAGGER, num_labels=4)
    model = load(str(tmp_path), device="cpu")
    trace = model.run("abc cab")
    assert (trace.streams, model.card.positions, model.card.writes) == (("self",), "recurrence", False)
    expected = network(input_ids=torch.tensor([trace.tokens.ids]), output_attentions=True)
    torch.testing.assert_close(trace.attention(0), expected.attentions[0][0])
    torch.testing.assert_close(trace.output.values, expected.logits[0])
    assert isinstance(AutoModelForTokenClassification.from_pretrained(tmp_path), RecurrentForTokenClassification)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"cell": "elman"}, "no cell"),
        ({"attention": "local"}, "no attention"),
        ({"hidden_size": 5}, "odd"),
        ({"is_encoder_decoder": True}, "no decoder"),
        ({"num_hidden_layers": 0}, "no size"),
    ],
)
def test_parts_that_do_not_fit_are_refused(options: dict[str, Any], word: str) -> None:
    with refused(word):
        TaggingConfig(**options)
