import copy
import math
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
import torch
from hypothesis import given, settings
from safetensors.torch import load_file, save_file
from tokenizers import processors
from torch import Tensor
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForPreTraining,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedTokenizerFast,
)

from core import load
from core.errors import HeadlightError
from core.jobs import Cancelled, Job, Progress
from core.models.card import ModelCard
from core.models.devices import DTYPES
from core.models.model import Model
from core.text import reordered
from tests.sentences import is_one_sentence, refused
from tests.text.strategies import TEXTS
from tests.tiny import POSITIONS, WIDTH, save_model


@pytest.fixture(scope="module")
def gpt2(gpt2_folder: Path) -> Model:
    return load(str(gpt2_folder))


def test_the_card_of_minilm(minilm: Model) -> None:
    assert minilm.card == ModelCard(
        name="all-MiniLM-L6-v2",
        family="bert",
        streams=("self",),
        layers={"self": 6},
        heads={"self": 12},
        key_value_heads={"self": 12},
        positions="learned",
        max_tokens=512,
        writes=False,
        widths={"self": 32},
    )


def test_the_load_report_counts_the_tensors_of_minilm(minilm: Model) -> None:
    report = minilm.report
    assert (report.missing, report.mismatched, report.unexpected, report.reinitialised) == ((), (), (), ())
    assert report.loaded == len(minilm.network.state_dict())
    assert report.parameters == 22_713_216
    assert report.nbytes == minilm.nbytes == 4 * report.parameters


def test_the_provenance_says_where_the_numbers_come_from(minilm: Model) -> None:
    provenance = minilm.run("The cat sat.").provenance
    assert provenance.model == "all-MiniLM-L6-v2"
    assert len(provenance.revision) == 12
    assert (provenance.dtype, provenance.mask) == ("float32", "bidirectional")
    (check,) = provenance.checks
    assert check.passed
    assert check.calls == 6
    assert check.error < 1e-5


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_format_passes_its_check_and_gives_nearly_the_same_maps(minilm: Model, dtype: str) -> None:
    texts = ["The cat sat.", "猫 and the naïve café 😀 " * 20]
    other = load("all-MiniLM-L6-v2", device="cpu", dtype=dtype)
    assert other.nbytes == other.report.parameters * torch.finfo(DTYPES[dtype]).bits // 8
    for text in texts:
        trace = other.run(text)
        assert trace.provenance.dtype == dtype
        assert trace.provenance.checks[0].passed
        difference = max((trace.attention(i) - minilm.run(text).attention(i)).abs().max() for i in range(6))
        assert difference < {"float32": 1e-5, "float16": 0.02, "bfloat16": 0.1}[dtype]


@pytest.mark.parametrize(("text", "pair"), [("", None), ("  ", None), ("a", ""), ("a", "\n"), ("\u200b", None)])
def test_nothing_to_read_is_one_sentence(minilm: Model, text: str, pair: str | None) -> None:
    with refused("type"):
        minilm.run(text, pair)


@settings(deadline=None, max_examples=40)
@given(text=TEXTS)
def test_any_text_gives_maps_or_one_sentence(minilm: Model, gpt2: Model, text: str) -> None:
    for model in (minilm, gpt2):
        trace, refusal = None, ""
        try:
            trace = model.run(text)
        except HeadlightError as error:
            refusal = str(error)
        assert trace is not None or is_one_sentence(refusal)
        if trace is not None:
            assert (trace.attention(trace.layers() - 1).sum(-1) - 1).abs().max() < 1e-5


@pytest.mark.parametrize("text", ["a", "</script><img src=x onerror=alert(1)>", "**b** $x$ :smile: [l](x)", "\ud800a"])
def test_awkward_texts_run(minilm: Model, gpt2: Model, text: str) -> None:
    for model in (minilm, gpt2):
        trace = model.run(text)
        assert (trace.attention(0).sum(-1) - 1).abs().max() < 1e-5


def test_one_token_attends_to_itself(gpt2: Model) -> None:
    trace = gpt2.run("#")
    assert len(trace.tokens) == 1
    assert torch.equal(trace.attention(2), torch.ones(4, 1, 1))


def test_twenty_thousand_words_are_cut_to_what_the_model_reads(minilm: Model, gpt2: Model) -> None:
    for model, length in [(minilm, 512), (gpt2, POSITIONS)]:
        trace = model.run("word " * 20_000)
        assert len(trace.tokens) == length
        assert trace.attention(0, heads=[0]).shape == (1, length, length)


def test_a_pair_is_read_as_two_segments(minilm: Model) -> None:
    trace = minilm.run("one", "two")
    alone = minilm.run("one two")
    assert trace.tokens.type_ids == (0, 0, 0, 1, 1)
    assert trace.attention(0).shape[-1] == alone.attention(0).shape[-1] + 1


def test_hidden_states_are_the_model_s_own(minilm: Model) -> None:
    trace = minilm.run("The cat sat.")
    ids = torch.tensor([trace.tokens.ids])
    with torch.no_grad():
        expected = minilm.network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state[0]
    assert (trace.output.kind, trace.output.names) == ("hidden states", ())
    assert torch.allclose(trace.output.values, expected, atol=1e-5)


def test_next_tokens_are_the_logits_after_the_last_token(gpt2: Model) -> None:
    trace = gpt2.run("the cat sat")
    with torch.no_grad():
        expected = gpt2.network(input_ids=torch.tensor([trace.tokens.ids])).logits[0, -1]
    assert trace.output.kind == "next tokens"
    assert trace.provenance.mask == "causal"
    assert torch.allclose(trace.output.values, expected, atol=1e-5)


def test_an_output_keeps_no_more_memory_than_it_shows(gpt2: Model) -> None:
    values = gpt2.run("the cat sat").output.values
    assert values.untyped_storage().nbytes() == values.nbytes


def test_a_classifier_answers_with_labels(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    names = {0: "bad", 1: "good", 2: "neither"}
    network = save_model(tmp_path, "bert", AutoModelForSequenceClassification, byte_level, id2label=names)
    output = load(str(tmp_path)).run("the cat sat").output
    assert (output.kind, output.names) == ("labels", ("bad", "good", "neither"))
    ids = load(str(tmp_path)).run("the cat sat").tokens.ids
    with torch.no_grad():
        expected = network(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids))).logits[0]
    assert torch.allclose(output.values, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "auto", "says"),
    [
        ("bert", AutoModelForMaskedLM, "token logits"),
        # One number a token, which must not be taken for the labels of a text.
        ("electra", AutoModelForPreTraining, "token labels"),
    ],
)
def test_what_is_said_of_each_token_is_neither_labels_nor_a_next_token(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, auto: type, says: str
) -> None:
    save_model(tmp_path, kind, auto, byte_level)
    trace = load(str(tmp_path)).run("the cat sat")
    assert trace.output.kind == says
    assert len(trace.output.values) == len(trace.tokens)


def test_a_tagger_of_another_library_tells_the_labels_of_each_token(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    save_model(tmp_path, "bert", AutoModelForTokenClassification, byte_level)
    trace = load(str(tmp_path)).run("the cat sat")
    assert trace.output.kind == "token labels"
    assert trace.output.values.shape == (len(trace.tokens), len(trace.output.names))


def test_a_pair_is_read_by_a_model_that_knows_one_segment(tmp_path: Path, minilm: Model) -> None:
    network = save_model(tmp_path, "bert", AutoModel, minilm.encoder.reader.backend, type_vocab_size=1)
    trace = load(str(tmp_path)).run("one", "two")
    assert 1 in trace.tokens.type_ids
    with torch.no_grad():
        expected = network(input_ids=torch.tensor([trace.tokens.ids])).last_hidden_state[0]
    assert torch.allclose(trace.output.values, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "auto", "positions"),
    [
        ("roberta", AutoModel, "learned"),
        ("distilbert", AutoModel, "learned"),
        ("modernbert", AutoModelForMaskedLM, "rotary"),
        ("llama", AutoModelForCausalLM, "rotary"),
        ("qwen3", AutoModelForCausalLM, "rotary"),
        ("gemma3_text", AutoModelForCausalLM, "rotary"),
        ("opt", AutoModelForCausalLM, "learned"),
    ],
)
def test_folders_of_many_kinds_open_and_read_as_much_as_they_can(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, auto: type, positions: str
) -> None:
    save_model(tmp_path, kind, auto, byte_level)
    model = load(str(tmp_path))
    trace = model.run("the cat " * 100)
    # RoBERTa counts its positions from the padding index on.
    assert len(trace.tokens) == model.card.max_tokens == POSITIONS - (kind == "roberta")
    assert model.card.positions == positions
    assert (model.card.layers["self"], model.card.heads["self"]) == (trace.layers(), trace.heads())
    assert trace.provenance.checks[0].passed


def test_each_layer_is_told_to_the_job(minilm: Model) -> None:
    told: list[Progress] = []
    minilm.run("The cat sat.", job=Job("ann", "Run", told.append))
    assert [(p.done, p.total) for p in told] == [(layer, 6) for layer in range(7)]
    assert told[0].step == "running 6 tokens"
    assert told[3].step == "3 of 6 layers"


def test_a_cancelled_job_ends_the_run_at_that_layer(minilm: Model) -> None:
    told: list[Progress] = []

    def listen(progress: Progress) -> None:
        told.append(progress)
        if progress.done == 3:
            job.cancel()

    job = Job("ann", "Run", listen)
    with pytest.raises(Cancelled):
        minilm.run("The cat sat.", job=job)
    assert [p.done for p in told] == [0, 1, 2, 3]
    assert minilm.run("The cat sat.").layers() == 6


def spoil_values(folder: Path, values: Tensor | float) -> None:
    """GPT-2's c_attn makes q, k and v of all heads in one: this changes the values of head 2 in layer 1."""
    weights = load_file(folder / "model.safetensors")
    weights["transformer.h.1.attn.c_attn.weight"][:, 2 * WIDTH + 2 * 8] = values
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(("dtype", "advice"), [("float16", "choose float32"), ("float32", "choose another model")])
def test_nan_is_named_with_layer_head_and_a_way_out(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, dtype: str, advice: str
) -> None:
    save_model(tmp_path, "gpt2", AutoModelForCausalLM, byte_level)
    spoil_values(tmp_path, math.nan)
    with refused("layer 1, head 2", dtype, advice):
        load(str(tmp_path), device="cpu", dtype=dtype)


def test_values_too_large_for_float16_are_named_and_fit_float32(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    save_model(tmp_path, "gpt2", AutoModelForCausalLM, byte_level)
    spoil_values(tmp_path, torch.tensor([60_000.0, -60_000.0]).repeat(WIDTH // 2))
    with refused("layer 1, head 2", "float16", "choose float32"):
        load(str(tmp_path), device="cpu", dtype="float16")
    assert load(str(tmp_path), device="cpu").run("the cat sat").provenance.checks[0].passed


def test_a_token_beyond_the_vocabulary_is_named(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    short = byte_level.encode("a b").ids  # what a model is tried out with
    save_model(tmp_path, "gpt2", AutoModelForCausalLM, byte_level, vocab_size=max(short) + 1)
    model = load(str(tmp_path))
    with refused("no embedding", "␣spaces"):
        model.run("a spaces")


def test_tokens_in_another_order_are_read_as_they_are(minilm: Model) -> None:
    tokens = minilm.encode("The cat sat.")
    assert tokens == minilm.read("The cat sat.").tokens
    trace = minilm.run_reading(minilm.read_tokens(reordered(tokens, (1, 0, 2, 3))))
    typed = minilm.run("cat the sat.")
    assert trace.tokens.ids == typed.tokens.ids
    assert torch.equal(trace.attention(3), typed.attention(3))


def test_an_altered_copy_of_the_network_runs_under_the_same_name_and_says_what_was_altered(minilm: Model) -> None:
    network = copy.deepcopy(minilm.network)
    before = minilm.run("The cat sat.")
    for weight in network.parameters():
        weight.zero_()
    other = minilm.with_network(network, "all weights are zero")
    altered = other.run("The cat sat.")
    assert torch.allclose(altered.attention(0), torch.full((12, 6, 6), 1 / 6))
    assert altered.provenance == replace(
        before.provenance, remark="all weights are zero", checks=altered.provenance.checks
    )
    again = minilm.run("The cat sat.")
    assert torch.equal(again.attention(5), before.attention(5))
    assert again.provenance.remark == ""


def test_xlnet_reads_the_segments_of_a_pair(tmp_path: Path, byte_level) -> None:
    network = save_model(tmp_path, "xlnet", AutoModel, byte_level)
    paired = copy.deepcopy(byte_level)
    paired.post_processor = processors.TemplateProcessing(single="$A:0", pair="$A:0 $B:1", special_tokens=[])
    PreTrainedTokenizerFast(tokenizer_object=paired).save_pretrained(tmp_path)
    trace = load(str(tmp_path), device="cpu").run("the cat", "sat down")
    assert set(trace.tokens.type_ids) == {0, 1}
    with torch.no_grad():
        ids, segments = (torch.tensor([row]) for row in (trace.tokens.ids, trace.tokens.type_ids))
        own = network.eval()(input_ids=ids, token_type_ids=segments).last_hidden_state[0]
    torch.testing.assert_close(trace.output.values, own, atol=1e-5, rtol=1e-5)
