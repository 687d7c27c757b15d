"""Parts of a recurrent encoder-decoder that published networks have in other ways than ours."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.capture import check_of, prepare, record
from core.zoo.recurrent import RecurrentConfig
from core.zoo.scores import Sum
from core.zoo.scores.additive import Additive
from tests.sentences import refused
from tests.zoo.recurrent_models import SOURCE, TARGET, run, small

INPUTS = {"input_ids": SOURCE, "attention_mask": (SOURCE != 0).long(), "decoder_input_ids": TARGET}
KERAS = {"attention": "sum", "input_feeding": False, "encoder_size": 24, "start": "zero", "readout": False}
OTHERS: list[dict[str, Any]] = [
    KERAS,
    {"attention": "additive", "encoder_size": 8, "readout": False},
    {"attention": "sum", "readout": False, "cell": "lstm", "start": "zero"},
    {"attention": "none", "encoder_size": 24, "cell": "lstm"},
]


def test_sum_is_the_additive_score_without_its_matrices() -> None:
    plain, additive = Sum(3, 3), Additive(3, 3)
    for linear in (additive.of_query, additive.of_state):
        linear.weight.data = torch.eye(3)
    plain.total.weight.data = additive.total.weight.data = torch.tensor([[1.0, -2.0, 0.5]])
    query, states = torch.randn(1, 2, 3), torch.randn(1, 4, 3)
    torch.testing.assert_close(plain(query, states), additive(query, states))
    assert plain.keys(states) is states


def test_sum_refuses_a_query_of_another_width_than_the_states() -> None:
    with refused("3 and 4 wide"):
        Sum(3, 4)


@pytest.mark.parametrize("options", OTHERS)
@torch.no_grad()
def test_steps_give_what_the_whole_target_gives(options: dict[str, Any]) -> None:
    network = small(**options)
    logits, _ = run(network) if options["attention"] != "none" else (network(**INPUTS).logits, None)
    write = network.writer(network.encoder(SOURCE), (SOURCE != 0).long())
    steps = torch.stack([write(token) for token in TARGET.T], dim=1)  # T of (B, V) -> (B, T, V)
    torch.testing.assert_close(steps, logits, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_the_states_are_mapped_before_they_are_looked_at() -> None:
    network = small(**KERAS)
    assert prepare(network, INPUTS) == "tap"
    assert network.encoder(SOURCE).last_hidden_state.shape == (2, 5, 16)
    assert network.encoder(SOURCE).final_states.shape == (2, 1, 24)
    with record(network) as recording:
        output = network(**INPUTS, output_attentions=True)
    (call,) = recording.calls
    assert torch.equal(call.weights(batch=0), output.cross_attentions[0][0])
    assert check_of(recording.errors(), torch.float32, recording.roundings()).passed


@torch.no_grad()
def test_from_a_state_of_zero_the_first_query_knows_the_target_only() -> None:
    network = small(**KERAS)
    first = network.decoder.cell(network.decoder.embedding(TARGET[:, 0]), (torch.zeros(2, 16),))[0]
    memory = network.decoder.memory(network.encoder(SOURCE), (SOURCE != 0).long())
    _, weights = network.decoder.attention(first[:, None], memory)
    torch.testing.assert_close(weights[:, 0], run(network)[1][:, 0], atol=1e-6, rtol=0)


@torch.no_grad()
def test_without_a_readout_words_are_read_from_context_and_state() -> None:
    network = small(**KERAS)
    encoded = network.encoder(SOURCE)
    states = network.decoder.unrolled(network.decoder.embedding(TARGET), network.decoder.first_state(encoded))
    contexts = run(network)[1] @ encoded.last_hidden_state
    expected = network.lm_head(torch.cat([contexts, states], dim=-1))
    torch.testing.assert_close(run(network)[0], expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"start": "one"}, "no first state"),
        ({"attention": "none", "start": "zero"}, "Without attention"),
        ({"attention": "none", "readout": False}, "Without attention"),
        ({"encoder_size": 5}, "5 is odd"),
        ({"encoder_size": 0}, "encoder_size is 0"),
        ({"readout": False, "tie_word_embeddings": True}, "what words are read from"),
    ],
)
def test_parts_that_do_not_fit_are_refused(options: dict[str, Any], word: str) -> None:
    with refused(word):
        RecurrentConfig(**options)


def test_a_network_without_these_words_is_what_it_was() -> None:
    network = small("general")
    assert {"decoder.start.0.weight", "decoder.readout.of_both.weight"} <= network.state_dict().keys()
    assert not any("projection" in name for name in network.state_dict())
