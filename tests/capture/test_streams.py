"""Streams follow from what weights and values are computed from, whatever modules are called."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedModel

from core.capture import HeadChange, Recording, changed, check_of, prepare, record, record_gradients
from core.capture.streams import OF_DECODER, OF_ENCODER
from tests.capture.modules import HEADS, WIDTH
from tests.sentences import refused
from tests.tiny import (
    LENGTH,
    TARGET_LENGTH,
    batch,
    joined_config,
    network_of,
    tiny_config,
    tiny_network,
    two_stack_inputs,
)

MAPS = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}


def pair_of(encoder: str, decoder: str, attention: str | None = None) -> PreTrainedModel:
    return network_of(joined_config(encoder, decoder), attention, AutoModelForSeq2SeqLM)


def tied(network: PreTrainedModel, by: str) -> PreTrainedModel:
    """A BERT whose decoder has the encoder's weights, or its very modules."""
    layers = zip(network.encoder.encoder.layer, network.decoder.bert.encoder.layer, strict=True)
    for of_encoder, of_decoder in layers:
        for name in ("attention", "intermediate", "output"):
            if by == "modules":
                setattr(of_decoder, name, getattr(of_encoder, name))
            for path, weight in getattr(of_encoder, name).named_parameters():
                *owner, leaf = path.split(".")
                setattr(getattr(of_decoder, name).get_submodule(".".join(owner)), leaf, weight)
    return network


def inputs_of(source: int, target: int) -> dict[str, Tensor]:
    """Two texts a side, the second padded, so that all masks are given."""
    read, said = batch("right", source), batch("right", target, seed=1)
    return read | {"decoder_input_ids": said["input_ids"], "decoder_attention_mask": said["attention_mask"]}


@torch.no_grad()
def recorded(network: nn.Module, *args: Any, **kwargs: Any) -> Recording:
    with record(network) as recording:
        network(*args, **kwargs)
    assert check_of(recording.errors(), torch.float32).passed
    return recording


@pytest.mark.parametrize("sizes", [(LENGTH, TARGET_LENGTH), (LENGTH, LENGTH), (1, 1)], ids=str)
@pytest.mark.parametrize(
    ("encoder", "decoder", "ties"),
    [("bert", "bert", ""), ("bert", "gpt2", ""), ("roberta", "roberta", ""), ("bert", "bert", "weights"),
     ("bert", "bert", "modules")],
)  # fmt: skip
def test_two_joined_models_have_the_streams_of_their_own_maps(
    encoder: str, decoder: str, ties: str, sizes: tuple[int, int]
) -> None:
    network, eager = (pair_of(encoder, decoder, attention) for attention in (None, "eager"))
    if ties:
        network, eager = (tied(each, ties) for each in (network, eager))
    given = inputs_of(*sizes)
    prepare(network, given)
    calls = recorded(network, **given).calls
    with torch.no_grad():
        answer = eager(**given, output_attentions=True)
    assert {stream: sum(call.stream == stream for call in calls) for stream in MAPS} == dict.fromkeys(MAPS, 2)
    for call in calls:
        maps = answer[MAPS[call.stream]]
        theirs = maps[call.layer * len(maps) // 2]  # the library's hooks see a module of both stacks twice
        mask = given["attention_mask" if call.stream == "encoder" else "decoder_attention_mask"].bool()
        for text in (0, 1):
            difference = call.weights(batch=text) - theirs[text]
            assert difference[:, mask[text]].abs().max() <= 1e-5


def test_a_module_of_both_stacks_has_one_path_and_two_streams() -> None:
    network = tied(pair_of("bert", "bert"), "modules")
    calls = recorded(network, **inputs_of(LENGTH, LENGTH)).calls
    by_path: dict[str, list[str]] = {}
    for call in calls:
        by_path.setdefault(call.path, []).append(call.stream)
    assert by_path["encoder.encoder.layer.0.attention.self"] == ["encoder", "decoder"]


@pytest.mark.parametrize("stream", MAPS)
def test_a_change_finds_the_layer_that_a_recording_names(stream: str) -> None:
    network, given = tied(pair_of("bert", "bert"), "modules"), inputs_of(LENGTH, LENGTH)
    with changed(network, [HeadChange(stream, layer=1, head=2, kind="uniform")]):
        calls = recorded(network, **given).calls
    assert [(c.stream, c.layer, sorted(c.changed)) for c in calls if c.changed] == [(stream, 1, [2])]


def test_a_change_finds_it_in_generation_too_where_keys_come_from_a_cache() -> None:
    network = pair_of("bert", "bert")
    seen: list[str] = []
    for stream in MAPS:
        with changed(network, [HeadChange(stream, layer=1, head=2)]):
            seen.append(str(network.generate(batch("none")["input_ids"], decoder_start_token_id=1, max_new_tokens=6)))
    assert len(set(seen)) > 1


@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_what_the_decoder_reads_need_not_be_given_to_the_whole(kind: str) -> None:
    network, given = tiny_network(kind), batch("none", LENGTH)
    states = network.encoder(**given)[0]
    read = {"encoder_hidden_states": states, "input_ids": given["input_ids"]}
    calls = recorded(network, encoder_outputs=(states,), decoder_input_ids=given["input_ids"]).calls
    assert [call.stream for call in calls] == ["decoder", "cross"] * 3
    with torch.no_grad(), record(network) as recording:
        network.decoder(**read)
    assert [call.stream for call in recording.calls] == ["decoder", "cross"] * 3
    calls = recorded(network, given["input_ids"], decoder_input_ids=given["input_ids"]).calls
    assert [call.stream for call in calls] == ["encoder"] * 2 + ["decoder", "cross"] * 3
    embedded = network.get_input_embeddings()(given["input_ids"])
    calls = recorded(network, inputs_embeds=embedded, decoder_inputs_embeds=embedded).calls
    assert [call.stream for call in calls] == ["encoder"] * 2 + ["decoder", "cross"] * 3


def test_a_decoder_by_itself_looks_at_what_it_is_given_beside_its_text() -> None:
    network = tiny_network("bert", is_decoder=True, add_cross_attention=True)
    given = batch("none")
    assert {call.stream for call in recorded(network, **given).calls} == {"self"}
    calls = recorded(network, **given, encoder_hidden_states=torch.randn(2, LENGTH, 32)).calls
    assert [call.stream for call in calls] == ["self", "cross"] * 3


@pytest.mark.parametrize("target", [5, 7])
def test_torchs_own_decoder_reads_its_target(target: int) -> None:
    layer = nn.TransformerDecoderLayer(WIDTH, HEADS, 32, batch_first=True)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True), 2)
    whole = nn.Transformer(WIDTH, HEADS, 2, 2, 32, batch_first=True)
    for module, before in ((layer, 0), (nn.TransformerDecoder(layer, 2), 0), (whole, 2)):
        texts = torch.randn(2, 7, WIDTH), torch.randn(2, target, WIDTH)
        calls = recorded(module.eval(), *(texts if before else texts[::-1])).calls
        assert [call.stream for call in calls[:before]] == ["encoder"] * before
        assert {call.stream for call in calls[before::2]} == {"decoder"}
        assert {call.stream for call in calls[before + 1 :: 2]} == {"cross"}
    assert {call.stream for call in recorded(encoder.eval(), texts[0]).calls} == {"self"}


class OneStack(nn.Module):
    """A plugin's own words: one stack and one attention that reads the source, then the target, then both."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(96, WIDTH)
        self.mixing = nn.Linear(WIDTH, WIDTH)
        self.config = type("Config", (), {"is_encoder_decoder": True})()

    def look(self, states: Tensor, memory: Tensor) -> Tensor:
        return (self.mixing(states) @ memory.mT).softmax(-1) @ memory + states

    def forward(self, input_ids: Tensor, decoder_input_ids: Tensor) -> Tensor:
        source, target = self.words(input_ids), torch.zeros(*decoder_input_ids.shape, WIDTH)
        source = self.look(source, source)
        for place in range(target.shape[1]):
            target[:, place] = self.words(decoder_input_ids[:, place])
        target = self.look(target, target)
        return self.look(target, source)


@pytest.mark.parametrize("target", [5, 7])
def test_one_attention_may_serve_all_streams(target: int) -> None:
    network = OneStack().eval()
    given = batch("none", 7)["input_ids"], batch("none", target)["input_ids"]
    assert [call.stream for call in recorded(network, *given).calls] == ["encoder", "decoder", "cross"]
    assert [call.path for call in recorded(network, *given).calls] == [""] * 3


def test_an_idle_network_pays_nothing_and_its_answer_is_the_same() -> None:
    network, given = pair_of("bert", "bert"), inputs_of(LENGTH, LENGTH)
    with torch.no_grad():
        before = network(**given).logits
        with record(network):
            during = network(**given).logits
        assert torch.equal(before, during)
        assert torch.equal(before, network(**given).logits)


def joint(attention: str | None = None) -> PreTrainedModel:
    """T5Gemma 2: one softmax of its decoder runs over its own tokens and the encoder's."""
    return network_of(tiny_config("t5gemma2"), attention, AutoModelForSeq2SeqLM)


@pytest.mark.parametrize("padding", ["none", "right", "left"])
def test_a_joint_map_is_split_into_the_two_that_the_library_returns(padding: str) -> None:
    network, eager, given = joint(), joint("eager"), two_stack_inputs(padding)
    prepare(network, given)
    calls = recorded(network, **given).calls
    with torch.no_grad():
        answer = eager(**given, output_attentions=True)
    assert [call.stream for call in calls] == ["encoder"] * 2 + ["decoder", "cross"] * 2
    for call in calls:
        mask = given["attention_mask" if call.stream == "encoder" else "decoder_attention_mask"].bool()
        for text in (0, 1):
            difference = call.weights(batch=text) - answer[MAPS[call.stream]][call.layer][text]
            assert difference[:, mask[text]].abs().max() <= 1e-6
    for own, cross in zip(calls[2::2], calls[3::2], strict=True):
        assert torch.allclose(own.weights().sum(-1) + cross.weights().sum(-1), torch.ones(4, TARGET_LENGTH))
        assert torch.allclose(own.sink_share(), cross.weights().sum(-1), atol=1e-6)
        assert (own.has_sink, cross.has_sink, own.rest, cross.rest) == (True, True, OF_ENCODER, OF_DECODER)
        assert own.rounded(torch.float16).weights().sum() > 0


def test_gradients_of_a_joint_map_are_those_of_its_two_parts() -> None:
    network, given = joint(), two_stack_inputs("none")
    embeddings = network.get_input_embeddings()(given.pop("input_ids")).requires_grad_()
    with record_gradients(network) as recording, torch.enable_grad():
        recording.back(network(inputs_embeds=embeddings, **given).logits[0, -1, 7], embeddings)
    eager = joint("eager")
    with record_gradients(eager) as tapped, torch.enable_grad():
        tapped.back(eager(inputs_embeds=embeddings, **given).logits[0, -1, 7], embeddings)
    whole = {call.path: tapped.gradient(place) for place, call in enumerate(tapped.calls)}
    for place, call in enumerate(recording.calls):
        theirs = whole[call.path]
        part = {"encoder": theirs, "decoder": theirs[..., :TARGET_LENGTH], "cross": theirs[..., TARGET_LENGTH:]}
        torch.testing.assert_close(recording.gradient(place), part[call.stream], atol=1e-4, rtol=1e-3)


def test_a_head_of_a_joint_map_is_not_changed_by_half() -> None:
    network = joint()
    with refused("neither part of a head"), changed(network, [HeadChange("decoder", layer=0, head=1)]), torch.no_grad():
        network(**two_stack_inputs("none"))


@pytest.mark.parametrize("kind", ["cpmant", "mvp"])
def test_a_prompt_of_the_models_own_is_the_rest_of_each_row(kind: str) -> None:
    auto = AutoModelForCausalLM if kind == "cpmant" else AutoModelForSeq2SeqLM
    network, eager = (network_of(tiny_config(kind), attention, auto) for attention in (None, "eager"))
    given = batch("none") if kind == "cpmant" else two_stack_inputs("right")
    prepare(network, given)
    calls = recorded(network, **given).calls
    with torch.no_grad():
        answer = eager(**given, output_attentions=True)
    maps = {"self": answer.attentions} if kind == "cpmant" else {s: answer[name] for s, name in MAPS.items()}
    for call in calls:
        theirs = maps[call.stream][call.layer]
        assert torch.equal(call.weights(batch=1), theirs[1, ..., -call.keys :])  # the prompt comes first
        prompted = call.stream != "encoder"  # the library gives MVP's encoder none
        assert call.has_sink is prompted
        assert call.rest == ("the 10 positions of the model's own prompt" if prompted else "no token")
        if theirs.shape[-1] > call.keys:
            assert torch.allclose(call.sink_share(), theirs[0, ..., : -call.keys].sum(-1), atol=1e-6)
    assert {(call.queries, call.keys) for call in calls} == (
        {(LENGTH, LENGTH)} if kind == "cpmant" else {(24, 24), (19, 19), (19, 24)}
    )
