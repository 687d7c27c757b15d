"""Checkpoints of our own architectures open like any other model, and what is drawn is what the network computed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
)

from core import load
from core.capture import record
from core.errors import HeadlightError
from core.heads import Filters
from core.models.generation import Decoding
from core.models.model import Model
from core.models.refusals import RandomWeights
from core.positions import TRAINABLE
from core.views.words import row_sums
from tests.sentences import refused
from tests.zoo.checkpoints import SIZE, saved

SEQ2SEQ, CLASSIFIER = "TransformerForConditionalGeneration", "TransformerForSequenceClassification"
LANGUAGE, RECURRENT = "TransformerForCausalLM", "RecurrentForConditionalGeneration"
POOLING = "PoolingForSequenceClassification"
SHALLOW = {"num_hidden_layers": 1, "num_decoder_layers": 2}
BOTH = ("encoder", "decoder", "cross")
SHOWN = {name: name for name in TRAINABLE} | {
    "none": "no", "shaw": "Shaw relative", "relative": "relative bias", "alibi": "ALiBi",
}  # fmt: skip
# Name: architecture, config, streams, positions on the card.
KINDS: dict[str, tuple[str, dict[str, Any], tuple[str, ...], str]] = {
    **{f"transformer {name}": (SEQ2SEQ, {"positions": name, **SHALLOW}, BOTH, SHOWN[name]) for name in TRAINABLE},
    "post-norm classifier": (CLASSIFIER, {"norm": "post", "is_encoder_decoder": False}, ("self",), "sinusoidal"),
    "language model": (LANGUAGE, {"positions": "relative", "is_encoder_decoder": False}, ("self",), "relative bias"),
    **{
        f"recurrent {attention}": (RECURRENT, {"attention": attention, "cell": cell}, ("cross",), "recurrence")
        for attention, cell in (
            ("additive", "gru"), ("dot", "lstm"), ("general", "tanh"), ("concat", "gru"), ("local", "gru"),
        )
    },
    "bottleneck": (RECURRENT, {"attention": "none", "cell": "lstm"}, (), "recurrence"),
    "bilstm": (POOLING, {"encoder": "bilstm", "attention": "additive"}, ("pooling",), "recurrence"),
    "cnn": (POOLING, {"encoder": "cnn", "attention": "dot"}, ("pooling",), "convolution"),
    "average": (POOLING, {"encoder": "average", "attention": "uniform"}, ("pooling",), "no"),
}  # fmt: skip
TEXT, TARGET = "abc cab", "cab"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("zoo")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def network(kind: str, folders: Path) -> PreTrainedModel:
    """What was saved, in the folder that is called by its kind."""
    architecture, config, *_ = KINDS[kind]
    return saved(folders / kind, architecture, **config)


@pytest.fixture(scope="module")
def model(kind: str, folders: Path, network: PreTrainedModel) -> Iterator[Model]:
    return load(str(folders / kind), device="cpu")


def maps_of(network: PreTrainedModel, trace: Any) -> dict[str, tuple[torch.Tensor, ...]]:
    """The network's own maps, by stream, for what a trace has read."""
    inputs = {"input_ids": torch.tensor([trace.tokens.ids])}
    if trace.said is not None:
        inputs["decoder_input_ids"] = torch.tensor([trace.said.ids])
    answer = network(**inputs, output_attentions=True)
    names = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
    return {stream: answer[names.get(stream, "attentions")] for stream in trace.streams}


def test_a_checkpoint_opens_with_all_its_weights_under_its_own_architecture(kind: str, model: Model) -> None:
    architecture, _, streams, positions = KINDS[kind]
    assert type(model.network).__name__ == architecture
    assert (model.report.missing, model.report.unexpected, model.report.mismatched) == ((), (), ())
    assert (model.card.streams, model.card.positions) == (streams, positions)
    assert model.card.answers is (architecture in (SEQ2SEQ, RECURRENT))
    assert bool(model.report.probe) is bool(streams)


def test_a_trace_holds_the_maps_that_the_saved_network_computes(network: PreTrainedModel, model: Model) -> None:
    trace = model.run(TEXT, target=TARGET if model.card.answers else None)
    assert all(check.passed for check in trace.provenance.checks)
    for stream, maps in maps_of(network, trace).items():
        assert len(maps) == trace.layers(stream)
        for layer, expected in enumerate(maps):
            torch.testing.assert_close(trace.attention(layer, stream=stream), expected[0], atol=1e-6, rtol=1e-5)


def test_rows_and_columns_are_the_tokens_of_their_texts(model: Model) -> None:
    trace = model.run(TEXT, target=TARGET if model.card.answers else None)
    source, target = ("a", "b", "c", "␣", "c", "a", "b", "</s>"), ("<s>", "c", "a", "b")
    rows = {"decoder": target, "cross": target, "pooling": ("[pooled]",)}
    for stream in trace.streams:
        assert trace.queries(stream).labels == rows.get(stream, source)
        assert trace.keys(stream).labels == (target if stream == "decoder" else source)


def test_its_answer_is_what_the_network_finds_likeliest(network: PreTrainedModel, model: Model) -> None:
    source = torch.tensor([model.encoder.encode(TEXT).ids])
    if model.card.writes:
        written = written_by(network, source, 3)
        expected = model.encoder.tokens_of_ids(written, continuing=not model.card.answers).text
        assert model.run(TEXT, generate=3).output.written == expected
        return
    shares = network(input_ids=source).logits[0].softmax(-1)  # (1, labels) -> (labels,)
    output = model.run(TEXT).output
    assert output.kind == "labels"
    assert dict(output.likeliest) == pytest.approx({f"LABEL_{i}": float(share) for i, share in enumerate(shares)})


def written_by(network: PreTrainedModel, source: torch.Tensor, most: int) -> list[int]:
    """Token after token, each the likeliest, up to the one that ends a text."""
    answers = network.config.is_encoder_decoder
    read = [1] if answers else source[0].tolist()
    start = len(read)
    while len(read) < start + most and 2 not in read[start:]:
        ids = torch.tensor([read])
        given = {"input_ids": source, "decoder_input_ids": ids} if answers else {"input_ids": ids}
        read.append(int(network(**given).logits[0, -1].argmax()))
    return read[start:]


@pytest.mark.parametrize("architecture", [RECURRENT, SEQ2SEQ])
def test_all_beams_together_find_the_most_probable_text(folders: Path, architecture: str) -> None:
    network = saved(folders / f"beams {architecture}", architecture)
    model = load(str(folders / f"beams {architecture}"))
    source = torch.tensor([model.encoder.encode(TEXT).ids])
    first = network(input_ids=source, decoder_input_ids=torch.tensor([[1]])).logits[0, -1].log_softmax(-1)  # (V,)
    pairs = torch.tensor([[1, token] for token in range(SIZE)])  # (V, 2)
    then = network(input_ids=source.expand(SIZE, -1), decoder_input_ids=pairs).logits[:, -1].log_softmax(-1)  # (V, V)
    # Whole texts are compared by their mean log-probability, and one that ends at once has one token.
    means = (first[:, None] + then) / 2
    means[2] = first[2]
    best = divmod(int(means.argmax()), SIZE)
    written = model.run(TEXT, generate=2, decoding=Decoding("beam", beams=SIZE)).output.written
    assert written == model.encoder.tokens_of_ids(best).text


def test_the_cost_of_a_run_is_told(model: Model) -> None:
    cost = model.estimate(100, 50 if model.card.answers else 0)
    assert cost.nbytes > 0
    assert 0 < cost.seconds < 10


@pytest.mark.parametrize(
    ("auto", "architecture"),
    [
        (AutoModelForSeq2SeqLM, SEQ2SEQ),
        (AutoModelForSeq2SeqLM, RECURRENT),
        (AutoModelForCausalLM, LANGUAGE),
        (AutoModelForSequenceClassification, CLASSIFIER),
        (AutoModelForSequenceClassification, POOLING),
    ],
)
def test_the_auto_classes_open_our_checkpoints(folders: Path, auto: Any, architecture: str) -> None:
    folder = folders / f"auto {architecture}"
    alone = {"is_encoder_decoder": False} if architecture in (LANGUAGE, CLASSIFIER) else {}
    network = saved(folder, architecture, **alone)
    assert type(auto.from_pretrained(folder)) is type(network)


def test_without_attention_there_are_no_streams_and_an_answer(folders: Path) -> None:
    saved(folders / "none", RECURRENT, attention="none")
    trace = load(str(folders / "none")).run(TEXT, target=TARGET)
    for ask in (trace.attention, trace.masked):
        with pytest.raises(HeadlightError, match="none has no attention"):
            ask(0)
    assert trace.streams == ()
    assert (trace.provenance.mask, trace.provenance.checks) == ("", ())
    assert trace.output.kind == "next tokens"
    assert trace.said is not None
    assert trace.said.labels == ("<s>", "c", "a", "b")


def test_rows_of_local_attention_sum_to_less_than_one_and_that_is_said(folders: Path) -> None:
    saved(folders / "local", RECURRENT, attention="local", window=2)
    trace = load(str(folders / "local")).run("abcdefghij", target=TARGET)
    sums = trace.attention(0).sum(-1)  # (1, T, S) -> (1, T)
    assert bool((sums < 1).all())
    torch.testing.assert_close(trace.sink_share(0), 1 - sums)
    assert row_sums(trace, "cross", 0, Filters()) == "rows sum to less than 1, the rest goes to no token"
    assert bool(trace.masked(0).any()), "outside the window nothing can be attended to"
    assert "bell curve" in trace.query_key(0, 0, 0).remark
    coarse = load(str(folders / "local"), dtype="bfloat16").run("abcdef", target=TARGET)
    assert coarse.query_key(0, 0, 0).dims == 0, "no products are claimed that lead to other weights"


@pytest.mark.parametrize(("attention", "dims"), [("additive", 0), ("concat", 0), ("dot", 16), ("general", 16)])
def test_only_scores_that_are_products_show_queries_and_keys(folders: Path, attention: str, dims: int) -> None:
    saved(folders / attention, RECURRENT, attention=attention)
    trace = load(str(folders / attention)).run(TEXT, target=TARGET)
    detail = trace.query_key(0, 0, 2)
    assert detail.dims == dims
    assert ("no dot products" in detail.remark) is (dims == 0)
    torch.testing.assert_close(torch.softmax(detail.logits, -1), trace.attention(0)[0, 2], atol=1e-6, rtol=1e-5)


def test_rows_over_a_source_of_one_token_are_one_map(folders: Path) -> None:
    network = saved(folders / "one", RECURRENT)
    with record(network) as recording:
        network(input_ids=torch.tensor([[4]]), decoder_input_ids=torch.tensor([[1, 5, 6]]))
    assert [(call.queries, call.keys) for call in recording.calls] == [(3, 1)]


@pytest.mark.parametrize("architecture", [RECURRENT, SEQ2SEQ])
def test_tied_embeddings_lie_in_the_file_once_and_nothing_is_missing(folders: Path, architecture: str) -> None:
    folder = folders / f"tied {architecture}"
    network = saved(folder, architecture, tie_word_embeddings=True, **_as_wide(architecture))
    report = load(str(folder)).report
    assert report.missing == ()
    assert report.loaded == len(load_file(folder / "model.safetensors"))
    assert report.loaded < len(network.state_dict())


def _as_wide(architecture: str) -> dict[str, int]:
    return {"embedding_size": 16} if architecture == RECURRENT else {}


@pytest.mark.parametrize("architecture", [RECURRENT, POOLING, SEQ2SEQ])
def test_half_precision_files_open_in_float32(folders: Path, architecture: str) -> None:
    folder = folders / f"half {architecture}"
    network = saved(folder, architecture)
    network.half().save_pretrained(folder)
    model = load(str(folder))
    assert model.dtype == torch.float32
    assert [(stored, used) for stored, used, _ in model.report.cast] == [("float16", "float32")]
    trace = model.run(TEXT, target=TARGET if model.card.answers else None)
    for stream, maps in maps_of(network.float(), trace).items():
        torch.testing.assert_close(trace.attention(0, stream=stream), maps[0][0], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(
    ("architecture", "tensor"),
    [(RECURRENT, "decoder.attention.score.total.weight"), (POOLING, "query"),
     (SEQ2SEQ, "encoder.layers.0.self_attention.query.weight")],
)  # fmt: skip
def test_weights_that_are_missing_or_no_numbers_are_refused(folders: Path, architecture: str, tensor: str) -> None:
    folder = folders / f"spoilt {architecture}"
    saved(folder, architecture)
    file = folder / "model.safetensors"
    weights = load_file(file)
    save_file({**weights, tensor: torch.full_like(weights[tensor], torch.nan)}, file, metadata={"format": "pt"})
    with refused("values that are not numbers"):
        load(str(folder))
    del weights[tensor]
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(RandomWeights):
        load(str(folder))
    assert load(str(folder), insist=True).report.random_body == (tensor,)


def test_an_encoder_decoder_opens_as_one_whatever_its_config_says(folders: Path) -> None:
    folder = folders / "one stack"
    network = saved(folder, SEQ2SEQ)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"is_encoder_decoder": False}))
    trace = load(str(folder)).run(TEXT, target=TARGET)
    for stream, maps in maps_of(network, trace).items():
        torch.testing.assert_close(trace.attention(0, stream=stream), maps[0][0], atol=1e-6, rtol=1e-5)


HOSTILE: dict[str, list[dict[str, Any]]] = {
    RECURRENT: [
        {"architectures": ["RecurrentForNothing"]},
        {"architectures": [POOLING]},
        {"architectures": ["GPT2LMHeadModel"]},
        {"hidden_size": 2**40},
        {"hidden_size": -4},
        {"vocab_size": 2**62},
        {"vocab_size": "many"},
        {"num_hidden_layers": 10**9},
        {"cell": "no such cell"},
        {"attention": "dot"},
        {"attention": ["additive"]},
        {"embedding_size": None},
        {"num_hidden_layers": 0},
        {"window": 0},
        {"dropout": 2},
        {"is_encoder_decoder": False},
    ],
    POOLING: [
        {"encoder": "cnn"},
        {"encoder": "cnn", "kernel_sizes": [2**40 + 1]},
        {"num_labels": 2**40},
        {"encoder": 3},
        {"embedding_size": 0},
        {"is_encoder_decoder": True},
    ],
    SEQ2SEQ: [
        {"positions": "no such scheme"},
        {"max_position_embeddings": 2**40, "positions": "learned"},
        {"num_attention_heads": 0},
        {"num_hidden_layers": 10**9},
        {"num_decoder_layers": 10**9},
        {"num_decoder_layers": 0},
        {"num_decoder_layers": 1.5},
        {"num_hidden_layers": True},
        {"max_position_embeddings": 0},
        {"intermediate_size": -1},
        {"dropout": -0.1},
        {"intermediate_size": 2**50},
    ],
}


@pytest.mark.parametrize(
    ("architecture", "changes"), [(name, changes) for name, all_ in HOSTILE.items() for changes in all_], ids=str
)
def test_a_hostile_config_gives_one_sentence(folders: Path, architecture: str, changes: dict[str, Any]) -> None:
    folder = folders / f"hostile {architecture}"
    if not folder.exists():
        saved(folder, architecture)
        (folder / "original").write_text((folder / "config.json").read_text())
    config = json.loads((folder / "original").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    with refused():
        load(str(folder))
