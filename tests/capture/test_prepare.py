"""The path is chosen once, tried out, and then stays."""

import copy

import pytest
import torch
from torch import nn
from transformers import (
    AttentionMaskInterface,
    AutoConfig,
    AutoModel,
    BertConfig,
    EncoderDecoderConfig,
    EncoderDecoderModel,
    GPT2Config,
    PreTrainedModel,
)

from core.capture import AttentionCall, check_of, path_of, prepare, record, row_blocks
from core.capture.families import REASONS, capturable
from core.capture.paths import interface_path
from core.capture.row_blocks import always_mask
from core.errors import HeadlightError
from tests.architectures import ARCHITECTURES, Architecture
from tests.sentences import is_one_sentence
from tests.tiny import tiny_config

PATHS = {
    "bert": "sdpa", "llama": "sdpa", "t5": "sdpa", "deepseek_v3": "sdpa", "jamba": "sdpa",
    "gemma2": "row blocks", "gpt_oss": "row blocks", "granite_swa": "row blocks", "switch_transformers": "row blocks",
    "longt5": "row blocks and tap",
    "bloom": "tap", "mpt": "tap", "gpt_neo": "tap", "falcon": "tap", "deberta-v2": "tap", "xlnet": "tap",
    "longformer": "tap", "bigbird_pegasus": "tap", "hy_v4": "tap", "doge": "tap",
}  # fmt: skip


def architecture(title: str) -> Architecture:
    return next(a for a in ARCHITECTURES if a.title == title)


def prepared(title: str, probe: str = "right") -> PreTrainedModel:
    network = architecture(title).network()
    prepare(network, architecture(title).inputs(probe))
    return network


@pytest.mark.parametrize("title", PATHS)
def test_the_path_fits_the_class(title: str) -> None:
    network = architecture(title).network()
    assert prepare(network, architecture(title).inputs("right")) == path_of(network) == PATHS[title]


@pytest.mark.parametrize("title", ["bert", "gemma2", "longt5", "bloom"])
def test_recording_changes_neither_the_implementation_nor_the_hooks(title: str) -> None:
    network = prepared(title)

    def state() -> list:
        hooks = [len(m._forward_pre_hooks) + len(m._forward_hooks) for m in network.modules()]
        return [network.config._attn_implementation, path_of(network), hooks]

    before = state()
    with torch.no_grad(), record(network):
        network(**architecture(title).inputs("left"))
    assert state() == before


def test_only_what_is_tapped_carries_hooks() -> None:
    for title, hooked in [("bert", False), ("gemma2", False), ("bloom", True), ("longt5", True)]:
        assert any(m._forward_pre_hooks for m in prepared(title).modules()) is hooked


def test_preparing_again_changes_nothing() -> None:
    network = prepared("bloom")
    hooks = sum(len(m._forward_pre_hooks) for m in network.modules())
    assert prepare(network, architecture("bloom").inputs("right")) == "tap"
    assert sum(len(m._forward_pre_hooks) for m in network.modules()) == hooks


def test_a_network_that_nobody_prepared_is_recorded_too() -> None:
    for title in ("bert", "bloom"):
        network = architecture(title).network()
        with torch.no_grad(), record(network) as recording:
            network(**architecture(title).inputs("none"))
        assert len(recording.calls) == 4
        assert recording.calls[0].path
        assert check_of(recording.errors(), torch.float32).passed


def test_an_eager_network_is_moved_to_the_faster_path() -> None:
    network = architecture("bert").network("eager")
    assert path_of(network) == "tap"
    assert prepare(network, architecture("bert").inputs("right")) == "sdpa"
    assert network.config._attn_implementation == "sdpa"


def test_a_network_whose_weights_do_not_prove_right_is_tapped() -> None:
    network = architecture("bert").network()
    network.train()  # the fused function drops weights out of sight
    inputs = architecture("bert").inputs("right")
    assert prepare(network, inputs) == "tap"
    assert network.config._attn_implementation == "eager"
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    # What is tapped are the weights that did multiply the values.
    assert (recording.calls[0].weights(batch=0).sum(-1) - 1).abs().max() > 0.05
    assert check_of(recording.errors(), torch.float32).passed


def test_row_blocks_are_given_up_where_the_answer_is_not_eager_s(monkeypatch: pytest.MonkeyPatch) -> None:
    network = architecture("gemma2").network()
    # Without its mask the network attends to the future: A·V = O holds all the same, only the answer tells.
    AttentionMaskInterface.register(row_blocks.NAME, lambda **kwargs: torch.ones_like(always_mask(**kwargs)))
    try:
        assert prepare(network, architecture("gemma2").inputs("right")) == "tap"
    finally:
        row_blocks.install()
    assert network.config._attn_implementation == "eager"
    with torch.no_grad(), record(network) as recording:
        network(**architecture("gemma2").inputs("right"))
    assert len(recording.calls) == 4
    assert check_of(recording.errors(), torch.float32).passed


def test_classes_that_compare_names_never_get_a_new_one() -> None:
    assert interface_path(architecture("hy_v4").network()) is None
    assert interface_path(architecture("gpt_oss").network()) == "row blocks"


def test_two_models_in_one() -> None:
    small = dict(vocab_size=96, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
    encoder = BertConfig(**small)
    decoder = GPT2Config(vocab_size=96, n_embd=32, n_layer=3, n_head=4, is_decoder=True, add_cross_attention=True)
    network = EncoderDecoderModel(EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)).eval()
    inputs = Architecture("bart").inputs("right")
    assert prepare(network, inputs) == "sdpa"
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    assert [sum(c.stream == s for c in recording.calls) for s in ("encoder", "decoder", "cross")] == [2, 3, 3]
    assert check_of(recording.errors(), torch.float32).passed


def test_layers_of_a_hybrid_are_consecutive_and_know_their_own_number() -> None:
    with torch.no_grad(), record(network := prepared("jamba")) as recording:
        network(**architecture("jamba").inputs("none"))
    assert [(call.layer, call.own_index) for call in recording.calls] == [(0, 1), (1, 3)]
    assert recording.calls[1].path == "model.layers.3.self_attn"


def test_both_paths_of_a_class_keep_their_order() -> None:
    with torch.no_grad(), record(network := prepared("longt5")) as recording:
        network(**architecture("longt5").inputs("none"))
    assert [call.stream for call in recording.calls] == ["encoder"] * 4 + ["decoder", "cross"] * 2
    assert [isinstance(call, AttentionCall) for call in recording.calls] == [False] * 4 + [True] * 4


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("mistral", {"sliding window of 6"}),
        ("gemma2", {"sliding window of 6", "global"}),
        ("gpt_neo", {"sliding window of 6", "global"}),
        ("modernbert", {"sliding window of 13", "global"}),
        ("longformer", {"sliding window of 5"}),
        ("longt5", {"sliding window of 7", "global"}),
        ("bert", {"global"}),
    ],
)
def test_the_kind_of_a_layer_is_what_its_mask_shows(title: str, kinds: set[str]) -> None:
    with torch.no_grad(), record(network := prepared(title)) as recording:
        network(**architecture(title).inputs("none"))
    assert {call.kind for call in recording.calls} == kinds
    for call in recording.calls:
        most = int((~call.masked().expand(-1, call.queries, -1)).sum(-1).max())
        assert most == (call.keys if call.kind == "global" else int(call.kind.split()[-1]))


def test_llama_4_reads_in_chunks() -> None:
    network = Architecture("llama4_text", dict(attention_chunk_size=8)).network()
    inputs = Architecture("llama4_text").inputs("none")
    prepare(network, inputs)
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    chunked = [call for call in recording.calls if call.kind == "chunks of 8"]
    assert len(chunked) == 3
    rows = torch.arange(24)
    same_chunk = (rows[:, None] // 8 == rows[None] // 8) & (rows[:, None] >= rows[None])
    assert all(torch.equal(~call.masked()[0], same_chunk) for call in chunked)


@pytest.mark.parametrize("title", ["llama", "gpt_oss", "nllb-moe"])
def test_the_key_value_group_of_each_head(title: str) -> None:
    with torch.no_grad(), record(network := prepared(title)) as recording:
        network(**architecture(title).inputs("none"))
    grouped = {"llama": (0, 0, 1, 1), "gpt_oss": (0, 0, 1, 1), "nllb-moe": (0, 1, 2, 3)}
    assert {call.groups for call in recording.calls} == {grouped[title]}


@pytest.mark.parametrize("family", REASONS)
def test_what_cannot_be_shown_is_refused_with_one_sentence_that_names_it(family: str) -> None:
    with pytest.raises(HeadlightError) as refusal:
        capturable(AutoConfig.for_model(family), "my-model")
    assert is_one_sentence(str(refusal.value))
    assert "my-model" in str(refusal.value)
    assert family in str(refusal.value)


@pytest.mark.parametrize("family", ["big_bird", "bigbird_pegasus"])
def test_sparse_attention_that_switches_itself_off_is_never_switched_on(family: str) -> None:
    network = Architecture(family).network()
    assert network.config.attention_type == "original_full"
    prepare(network, Architecture(family).inputs("right"))
    assert network.config.attention_type == "original_full"


def test_other_configs_pass_untouched() -> None:
    config = tiny_config("bert")
    before = copy.deepcopy(config.to_dict())
    assert capturable(config, "m") is config
    assert config.to_dict() == before


def test_a_network_without_attention_has_no_calls() -> None:
    network = nn.Sequential(nn.Linear(4, 4))
    assert prepare(network, {"input": torch.zeros(2, 4)}) == "tap"
    with record(network) as recording:
        network(torch.zeros(2, 4))
    assert recording.calls == ()


def test_auto_model_without_a_head_is_prepared_too() -> None:
    network = AutoModel.from_config(architecture("gemma2").config()).eval()
    assert prepare(network, architecture("gemma2").inputs("left")) == "row blocks"
