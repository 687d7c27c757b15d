import pytest
import torch

from core.capture import check_of, prepare, record
from tests.zoo.recurrent_models import ATTENTIONS, SOURCE, TARGET, small

INPUTS = {"input_ids": SOURCE, "attention_mask": (SOURCE != 0).long(), "decoder_input_ids": TARGET}
DECODERS = [*((attention, None) for attention in ATTENTIONS), ("general", False), ("local", False)]


@pytest.mark.parametrize(("attention", "input_feeding"), DECODERS)
@torch.no_grad()
def test_a_run_is_one_call_with_the_weights_of_the_model(attention: str, input_feeding: bool | None) -> None:
    network = small(attention, cell="lstm", input_feeding=input_feeding)
    assert prepare(network, INPUTS) == "tap"
    with record(network) as recording:
        output = network(**INPUTS, output_attentions=True)
    (call,) = recording.calls
    assert (call.stream, call.layer, call.heads, call.queries, call.keys) == ("cross", 0, 1, 4, 5)
    for text in range(2):
        assert torch.equal(call.weights(batch=text), output.cross_attentions[0][text])
    assert call.masked(batch=1).expand(1, 4, 5)[0].tolist() == [[False, False, False, True, True]] * 4
    assert check_of(recording.errors(), torch.float32, recording.roundings()).passed


@torch.no_grad()
def test_one_token_asks_once() -> None:
    network = small("general")
    with record(network) as recording:
        network(**INPUTS | {"decoder_input_ids": TARGET[:, :1]})
    assert [(call.stream, call.queries, call.keys) for call in recording.calls] == [("cross", 1, 5)]


@torch.no_grad()
def test_without_attention_nothing_is_seen() -> None:
    network = small("none")
    prepare(network, INPUTS)
    with record(network) as recording:
        network(**INPUTS)
    assert recording.calls == ()


@pytest.mark.parametrize("attention", ["dot", "general"])
@torch.no_grad()
def test_queries_and_keys_are_seen_where_their_product_is_the_score(attention: str) -> None:
    network = small(attention)
    with record(network) as recording:
        network(**INPUTS)
    origin = recording.calls[0].origin
    logits = origin.query[0] @ origin.key[0].mT * origin.scale
    torch.testing.assert_close(torch.softmax(logits, dim=-1), recording.calls[0].weights(), atol=1e-6, rtol=0)
