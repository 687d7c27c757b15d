"""Models that write: decoders go on, encoder-decoders answer; what is kept is one pass over the result."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from tokenizers import processors
from transformers import (
    AutoModel,
    AutoModelForQuestionAnswering,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedTokenizerFast,
)

from core import load
from core.errors import HeadlightError
from core.jobs import Cancelled, Job, Progress
from core.models.generation import Decoding, continue_with, end_ids
from core.models.model import Model
from tests.sentences import refused
from tests.tiny import save_model

DECODINGS = [Decoding(), Decoding("sampled", seed=3), Decoding("beam", beams=3)]


@pytest.fixture(scope="module")
def decoder(gpt2_folder: Path) -> Model:
    return load(str(gpt2_folder))


@pytest.fixture(scope="module", params=["t5", "bart", "marian"])
def translator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, byte_level) -> Model:
    folder = tmp_path_factory.mktemp(request.param)
    save_model(folder, request.param, AutoModelForSeq2SeqLM, byte_level)
    return load(str(folder))


@pytest.mark.parametrize("decoding", DECODINGS, ids=lambda d: d.kind)
def test_a_decoder_goes_on_and_its_map_is_one_pass_over_all_of_it(decoder: Model, decoding: Decoding) -> None:
    prompt = decoder.run("the cat")
    trace = decoder.run("the cat", generate=5, decoding=decoding)
    given = len(prompt.tokens)
    assert trace.tokens.ids[:given] == prompt.tokens.ids
    assert given < len(trace.tokens) <= given + 5
    assert trace.tokens.text == "the cat" + (trace.output.written or "")
    with torch.no_grad():
        eager = AutoModel.from_pretrained(decoder_folder(decoder), attn_implementation="eager").eval()
        maps = eager(torch.tensor([trace.tokens.ids]), output_attentions=True).attentions
    for layer, expected in enumerate(maps):
        torch.testing.assert_close(trace.attention(layer), expected[0], atol=1e-5, rtol=0)


def decoder_folder(model: Model) -> str:
    return str(model.network.config.name_or_path)


def test_greedy_writing_is_the_networks_own(decoder: Model) -> None:
    trace = decoder.run("the cat", generate=6)
    given = len(decoder.run("the cat").tokens)
    with torch.no_grad():
        logits = decoder.network(torch.tensor([trace.tokens.ids])).logits[0]
    assert logits.argmax(-1)[given - 1 : -1].tolist() == list(trace.tokens.ids[given:])


def test_each_row_is_labelled_with_the_token_it_predicts(decoder: Model) -> None:
    trace = decoder.run("the cat", generate=6)
    given = len(decoder.run("the cat").tokens)
    predicted = trace.predicted()
    assert predicted is not None
    assert len(predicted) == len(trace.tokens)
    expected = [decoder.encoder.tokens_of_ids([i], continuing=True).labels[0] for i in trace.tokens.ids[given:]]
    assert list(predicted[given - 1 : -1]) == expected


def test_sampling_is_the_same_for_the_same_seed_and_leaves_the_generator_alone(decoder: Model) -> None:
    torch.manual_seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    runs = [decoder.run("the cat", generate=8, decoding=Decoding("sampled", seed=s)).tokens.ids for s in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert torch.equal(torch.rand(3), expected)


def test_writing_tells_each_token_and_can_be_stopped(decoder: Model) -> None:
    told: list[Progress] = []
    decoder.run("the cat", generate=4, job=Job("ann", "Write", told.append))
    steps = [p.step for p in told if p.step.startswith("writing")]
    assert steps[0] == "writing token 1 of 4"
    stopped = Job("ann", "Write", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        decoder.run("the cat", generate=4, job=stopped)


@pytest.mark.parametrize("decoding", DECODINGS, ids=lambda d: d.kind)
def test_an_encoder_decoder_answers_and_gives_three_streams(translator: Model, decoding: Decoding) -> None:
    trace = translator.run("the cat sat", generate=5, decoding=decoding)
    assert trace.streams == ("encoder", "decoder", "cross")
    source, target = len(trace.keys("encoder")), len(trace.queries("decoder"))
    assert trace.attention(0, stream="cross").shape[1:] == (target, source)
    assert trace.attention(0, stream="decoder").shape[1:] == (target, target)
    assert trace.keys("cross") == trace.tokens
    assert 1 <= target <= 6  # the start token and what was written
    assert trace.output.written is not None
    for stream in trace.streams:
        sums = trace.attention(1, stream=stream).sum(-1)
        torch.testing.assert_close(sums, torch.ones_like(sums))


def test_the_end_is_not_forced_and_the_decoder_reads_all_that_was_written(translator: Model) -> None:
    read = translator.run("the cat sat", generate=3).queries("decoder").ids
    inputs = {"input_ids": torch.tensor([translator.run("the cat sat").tokens.ids])}
    with torch.no_grad():
        best = translator.network(**inputs, decoder_input_ids=torch.tensor([read])).logits[0].argmax(-1).tolist()
    assert best[:-1] == list(read[1:])
    # Fewer than three tokens only where the network itself went on to the end.
    assert len(read) == 4 or best[-1] in end_ids(translator.network, translator.encoder.end_id)


def test_a_target_longer_than_the_model_reads_is_cut_and_counted(tmp_path: Path, byte_level) -> None:
    save_model(tmp_path, "bart", AutoModelForSeq2SeqLM, byte_level)
    model = load(str(tmp_path))
    decoder = model.run("the cat sat", target="a dog ran " * 200).queries("decoder")
    assert len(decoder) == model.encoder.max_length
    assert len(decoder) + decoder.dropped == len(byte_level.encode("a dog ran " * 200)) + 1


def test_a_forced_target_is_read_token_by_token(translator: Model) -> None:
    trace = translator.run("the cat sat", target="a dog ran")
    said = translator.encoder.encode_target("a dog ran").ids
    read = trace.queries("cross").ids
    assert read[1:] == tuple(i for i in said if i != translator.encoder.end_id)
    assert read[0] == translator.network.config.decoder_start_token_id
    assert trace.output.written is None
    inputs = {"input_ids": torch.tensor([trace.tokens.ids]), "decoder_input_ids": torch.tensor([read])}
    with torch.no_grad():
        expected = translator.network(**inputs).logits[0, -1]
    torch.testing.assert_close(trace.output.values, expected, atol=1e-5, rtol=1e-5)


def test_an_encoder_decoder_without_a_head_reads_a_target_only(tmp_path: Path, byte_level) -> None:
    save_model(tmp_path, "bart", AutoModel, byte_level)
    model = load(str(tmp_path))
    assert model.run("the cat", target="a dog").streams == ("encoder", "decoder", "cross")
    with refused("give it a target"):
        model.run("the cat")


@pytest.mark.parametrize(
    ("auto", "labels"), [(AutoModelForSequenceClassification, 3), (AutoModelForQuestionAnswering, 2)]
)
@pytest.mark.parametrize("kind", ["bart", "mbart", "t5"])
def test_a_decoder_that_answers_without_writing_reads_the_text_again(
    tmp_path: Path, byte_level, auto, labels: int, kind: str
) -> None:
    """As the library gives it to its decoder; classifiers answer at the token that ends the text."""
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    network = save_model(tmp_path, kind, auto, byte_level, **special, num_labels=labels)
    ended = copy.deepcopy(byte_level)
    ended.post_processor = processors.TemplateProcessing(single="$A end", special_tokens=[("end", 2)])
    PreTrainedTokenizerFast(tokenizer_object=ended).save_pretrained(tmp_path)
    model = load(str(tmp_path), device="cpu")
    trace = model.run("the cat sat")
    ids = trace.tokens.ids
    assert ids[-1] == 2
    assert trace.queries("cross").ids == (2, *ids[:-1])
    assert not model.card.answers
    with torch.no_grad():
        own = network.eval()(input_ids=torch.tensor([ids]))
    values = own.logits[0] if "logits" in own else torch.cat([own.start_logits, own.end_logits])
    torch.testing.assert_close(trace.output.values, values, atol=1e-5, rtol=1e-5)
    with refused("reads the text itself"):
        model.run("the cat sat", target="a dog")


@pytest.mark.parametrize("kind", ["bart", "t5"])
def test_a_classifier_that_answers_at_the_end_of_a_text_wants_one(tmp_path: Path, byte_level, kind: str) -> None:
    save_model(tmp_path, kind, AutoModelForSequenceClassification, byte_level, eos_token_id=2)
    with refused("answers at the token that ends a text, and its tokenizer puts none"):
        load(str(tmp_path))


def test_two_models_joined_to_one_read_the_segments_of_a_pair(tmp_path: Path, byte_level) -> None:
    network = save_model(tmp_path, ("bert", "gpt2"), AutoModelForSeq2SeqLM, byte_level)
    paired = copy.deepcopy(byte_level)
    paired.post_processor = processors.TemplateProcessing(single="$A", pair="$A $B:1", special_tokens=[])
    PreTrainedTokenizerFast(tokenizer_object=paired).save_pretrained(tmp_path)
    model = load(str(tmp_path), device="cpu")
    trace = model.run("a b", "c d", target="b a")
    types = torch.tensor([trace.tokens.type_ids])
    assert 0 < types.sum() < types.numel()
    ids, said = torch.tensor([trace.tokens.ids]), torch.tensor([trace.queries("cross").ids])
    with torch.no_grad():
        network.eval()
        own = network(input_ids=ids, decoder_input_ids=said, token_type_ids=types).logits[0, -1]
        without = network(input_ids=ids, decoder_input_ids=said).logits[0, -1]
    torch.testing.assert_close(trace.output.values, own, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(own, without, atol=1e-3)


def test_two_models_joined_to_one_write_no_more_than_the_shorter_has_positions_for(tmp_path: Path, byte_level) -> None:
    save_model(tmp_path, ("bert", "gpt2"), AutoModelForSeq2SeqLM, byte_level)
    model = load(str(tmp_path), device="cpu")
    assert model.card.max_tokens == 64
    assert len(model.run("the cat " * 50).queries("cross")) <= 64


def test_wishes_that_a_model_cannot_fulfil_are_refused(minilm: Model, decoder: Model) -> None:
    with refused("reads text but writes none"):
        minilm.run("the cat", generate=3)
    with refused("no encoder-decoder"):
        decoder.run("the cat", target="der Kater")
    with pytest.raises(HeadlightError, match="no decoding called fast"):
        Decoding("fast")
    for wrong in ({"beams": 0}, {"temperature": 0.0}, {"top_p": 1.5}):
        with pytest.raises(HeadlightError, match="at least 1 beam"):
            Decoding(**wrong)
    for kind, strange in (("greedy", {"beams": 4}), ("greedy", {"seed": 0}), ("beam", {"temperature": 0.5})):
        with refused("leave one of them out"):
            Decoding(kind, **strange)
    with refused("leave one of them out"):
        Decoding(beams=4, top_p=0.9)


def test_an_option_brings_the_kind_of_decoding_that_it_belongs_to(translator: Model) -> None:
    assert Decoding() == Decoding("greedy")
    assert Decoding(beams=4) == Decoding("beam")
    assert Decoding(seed=3) == Decoding("sampled", temperature=1.0, top_p=1.0, seed=3)
    assert Decoding(temperature=0.5).options()["do_sample"]
    given = translator.inputs(translator.read("the cat", target="le chat"))
    encoded = {name: given[name] for name in ("input_ids", "attention_mask")}
    plainly = {"num_beams": 4, "do_sample": False, "forced_eos_token_id": None, "use_cache": False}
    expected = translator.network.generate(**encoded, **plainly, max_new_tokens=6)[0, 1:].tolist()
    written = continue_with(translator.network, encoded, 6, Decoding(beams=4), None)
    assert written == expected[: len(written)]


def test_a_full_text_leaves_no_room_to_write(decoder: Model) -> None:
    with refused("shorten it"):
        decoder.run("the cat sat on the mat " * 100, generate=3)


def test_the_likeliest_tokens_carry_the_networks_probabilities(decoder: Model) -> None:
    trace = decoder.run("the cat")
    with torch.no_grad():
        shares = torch.softmax(decoder.network(torch.tensor([trace.tokens.ids])).logits[0, -1], -1)
    values = [share for _, share in trace.output.likeliest]
    assert values == sorted(values, reverse=True)
    torch.testing.assert_close(torch.tensor(values), shares.topk(10).values, atol=1e-5, rtol=0)


def test_each_stream_names_its_own_mask(translator: Model, decoder: Model) -> None:
    trace = translator.run("the cat sat", target="a dog ran")
    assert [trace.mask_name(stream) for stream in trace.streams] == ["bidirectional", "causal", "bidirectional"]
    assert decoder.run("the cat").mask_name() == "causal"
    one = decoder.run("#")
    assert len(one.tokens) == 1
    assert one.mask_name() == "one-token"
