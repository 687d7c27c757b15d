"""What an encoder-decoder says after a given beginning, what it might have said, and the attention of a beam's text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM

from core import load
from core.capture import Trace, likeliest_next
from core.models.generation import Decoding
from core.models.model import Model
from tests.sentences import refused
from tests.tiny import save_model
from tests.zoo.checkpoints import saved

RECURRENT, TRANSFORMER = "RecurrentForConditionalGeneration", "TransformerForConditionalGeneration"
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "recurrent": (RECURRENT, dict(attention="additive")),
    "transformer": (TRANSFORMER, dict(num_attention_heads=4, tie_word_embeddings=False)),
}
TEXT = "hij cd f"
# One of these makes the beams of each network cross.
TEXTS = (TEXT, "jjih", "a", "e e", "ccc")
GREEDY, BEAM = Decoding(), Decoding("beam", beams=3)


@pytest.fixture(scope="module", params=[*OURS, "marian", "t5", "two berts"])
def translator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, byte_level: Any) -> Model:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param in OURS:
        architecture, options = OURS[request.param]
        saved(folder, architecture, **options)
    elif request.param == "two berts":
        save_model(folder, ("bert", "bert"), AutoModelForSeq2SeqLM, byte_level, max_position_embeddings=512)
    else:
        save_model(folder, request.param, AutoModelForSeq2SeqLM, byte_level)
    return load(str(folder))


def logits_of(model: Model, trace: Trace) -> Tensor:
    """The network's own logits after each row of the decoder, (T, V)."""
    assert trace.said is not None
    with torch.no_grad():
        answer = model.network(
            input_ids=torch.tensor([trace.tokens.ids]), decoder_input_ids=torch.tensor([trace.said.ids])
        )
    return answer.logits[0]


def other_than(trace: Trace, row: int) -> int:
    """A likely token that did not come after a row, and that ends no text."""
    return next(each.id for each in trace.next_tokens(row) if each.id not in (0, 2, trace.said_ids[row]))


def test_a_greedy_text_goes_on_the_same_after_its_own_beginning(translator: Model) -> None:
    whole = translator.run(TEXT, generate=6)
    for cut in (1, len(whole.said_ids) - 1):
        again = translator.run(TEXT, generate=6 - cut, prefix=whole.said_ids[:cut])
        assert again.said_ids == whole.said_ids
        assert again.output.written == whole.output.written


def test_after_another_word_each_next_token_is_the_likeliest(translator: Model) -> None:
    whole = translator.run(TEXT, generate=5)
    prefix = (*whole.said_ids[:2], other_than(whole, 2))
    trace = translator.run(TEXT, generate=3, prefix=prefix)
    assert trace.said_ids[:3] == prefix
    likeliest = logits_of(translator, trace).argmax(-1).tolist()
    assert likeliest[3 : len(trace.said_ids)] == list(trace.said_ids[3:])
    assert trace.said_ids[-1] == 2 or len(trace.said_ids) == 6


@pytest.mark.parametrize("decoding", [Decoding("sampled", seed=4), BEAM], ids=lambda d: d.kind)
def test_every_decoding_keeps_the_beginning(translator: Model, decoding: Decoding) -> None:
    traces = [translator.run(TEXT, generate=4, prefix=[5, 6], decoding=decoding) for _ in range(2)]
    assert traces[0].said_ids == traces[1].said_ids
    assert traces[0].said_ids[:2] == (5, 6)
    assert 3 <= len(traces[0].said_ids) <= 6


def test_next_tokens_are_the_ten_likeliest_of_each_row(translator: Model) -> None:
    trace = translator.run(TEXT, generate=5, prefix=[7])
    shares = torch.softmax(logits_of(translator, trace), dim=-1)
    for row in range(len(shares)):
        found = trace.next_tokens(row)
        best = shares[row].topk(10)
        assert [each.id for each in found] == best.indices.tolist()
        assert [each.probability for each in found] == pytest.approx(best.values.tolist(), abs=1e-6)
        labels = [translator.encoder.tokens_of_ids([each.id], continuing=True).labels[0] for each in found]
        assert [each.label for each in found] == labels
    for row, token in enumerate(trace.said_ids):
        assert trace.probability(row) == pytest.approx(float(shares[row, token]), abs=1e-6)
    assert trace.probability(len(trace.said_ids)) is None
    with pytest.raises(IndexError):
        trace.next_tokens(len(shares))


def test_an_alternative_that_is_chosen_comes_with_the_probability_it_was_shown_with(translator: Model) -> None:
    whole = translator.run(TEXT, generate=4)
    for each in whole.next_tokens(1)[:4]:
        trace = translator.run(TEXT, generate=2, prefix=(whole.said_ids[0], each.id))
        assert trace.probability(1) == pytest.approx(each.probability, abs=1e-6)


def test_nothing_is_written_after_the_token_that_ends_a_text(translator: Model) -> None:
    trace = translator.run(TEXT, prefix=(5, 6, 2))
    assert trace.said_ids == (5, 6, 2)
    assert trace.said is not None
    assert trace.said.ids[1:] == (5, 6)
    only_end = translator.run(TEXT, prefix=(2,))
    assert (only_end.said_ids, only_end.output.written) == ((2,), "")


def test_a_forced_target_tells_how_probable_each_of_its_tokens_is(translator: Model) -> None:
    trace = translator.run(TEXT, target="ab")
    shares = torch.softmax(logits_of(translator, trace), dim=-1)
    assert trace.produced is not None
    assert trace.said_ids == translator.encoder.encode_target("ab").ids[: len(trace.said_ids)]
    found = [trace.probability(row) for row in range(len(trace.said_ids))]
    assert found == pytest.approx([float(shares[row, token]) for row, token in enumerate(trace.said_ids)], abs=1e-6)


def crossing_beams(model: Model, start: int, prefix: tuple[int, ...]) -> tuple[str, Any]:
    """A text whose best translation comes from several beams, and what `generate` tells of it."""
    begun = {"decoder_input_ids": torch.tensor([[start, *prefix]])} if prefix else {}
    for text in TEXTS:
        with torch.no_grad():
            answer = model.network.generate(
                input_ids=torch.tensor([model.encoder.encode(text).ids]), max_new_tokens=6, use_cache=False,
                return_dict_in_generate=True, output_attentions=True, output_scores=True, **begun, **BEAM.options(),
            )  # fmt: skip
        if len({*answer.beam_indices[0].tolist()} - {-1}) > 1:
            return text, answer
    raise AssertionError("no text has crossing beams")


@pytest.mark.parametrize("prefix", [(), (9,)], ids=["whole", "begun"])
def test_what_is_drawn_for_a_beam_is_the_attention_that_wrote_it(translator: Model, prefix: tuple[int, ...]) -> None:
    """Rows of `generate`'s own attention, each of the beam that its token came from."""
    text, answer = crossing_beams(translator, 1, prefix)
    trace = translator.run(text, generate=6, prefix=prefix, decoding=BEAM)
    written = trace.said_ids[len(prefix) :]
    assert answer.sequences[0, 1:].tolist()[: len(trace.said_ids)] == list(trace.said_ids)
    beams = answer.beam_indices[0].tolist()[: len(written)]
    for step, beam in enumerate(beams):
        for layer, weights in enumerate(answer.cross_attentions[step]):
            drawn = trace.attention(layer, stream="cross")[:, len(prefix) + step]
            # weights[beam, :, -1]: (beams, H, T, S) -> (H, S)
            torch.testing.assert_close(drawn, weights[beam, :, -1], atol=1e-5, rtol=0)
    scores = translator.network.compute_transition_scores(answer.sequences, answer.scores, answer.beam_indices)
    found = [math.log(trace.probability(len(prefix) + step) or math.nan) for step in range(len(written))]
    assert found == pytest.approx(scores[0, : len(written)].tolist(), abs=1e-3)


def test_beginnings_that_lead_nowhere_are_refused(translator: Model) -> None:
    longest = translator.encoder.max_length
    with refused("no token with the number"):
        translator.run(TEXT, prefix=[5, 10**9])
    with refused("no token with the number -1"):
        translator.run(TEXT, prefix=[-1])
    for strange in (1.5, "a", True):
        with refused(f"no token with the number {strange!r}"):
            translator.run(TEXT, prefix=[strange])
    with refused("after the token that ends a text"):
        translator.run(TEXT, prefix=[5, 2, 6])
    with refused("leave some of its end out"):
        translator.run(TEXT, prefix=[5] * longest)
    with refused("leave out the target or the prefix"):
        translator.run(TEXT, target="ab", prefix=[5])


def test_only_an_encoder_decoder_is_given_a_beginning(gpt2_folder: Path) -> None:
    model = load(str(gpt2_folder))
    with refused("cannot be given a beginning"):
        model.run("the cat", prefix=[5])
    trace = model.run("the cat", generate=2)
    assert (trace.said_ids, trace.produced, trace.next_tokens(0), trace.probability(0)) == ((), None, (), None)


def test_a_model_without_attention_tells_what_it_might_say(tmp_path: Path) -> None:
    saved(tmp_path, RECURRENT, attention="none")
    model = load(str(tmp_path))
    trace = model.run(TEXT, generate=4, prefix=[6])
    assert trace.streams == ()
    assert trace.said_ids[0] == 6
    assert trace.next_tokens(1)[0].id == trace.said_ids[1]


def test_a_text_as_long_as_the_model_reads_is_begun_and_cut(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "marian", AutoModelForSeq2SeqLM, byte_level)
    model = load(str(tmp_path))
    longest = model.encoder.max_length
    trace = model.run("the cat", prefix=[5] * (longest - 1))
    assert trace.said is not None
    assert len(trace.said) == longest
    assert len(trace.said_ids) == longest


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rows_that_are_read_in_blocks_are_those_of_the_softmax(dtype: torch.dtype) -> None:
    logits = torch.randn(9, 2**19, generator=torch.Generator().manual_seed(0)).to(dtype) * 4
    found = likeliest_next(logits, [3, 4, 5], str)
    shares = torch.softmax(logits.double(), dim=-1)
    torch.testing.assert_close(found.came, shares[range(3), [3, 4, 5]].float())
    torch.testing.assert_close(found.probabilities, shares.topk(10).values.float())
    assert [each.label for each in found.after(8)] == [str(each.id) for each in found.after(8)]


def test_a_small_vocabulary_is_told_whole_and_sums_to_one() -> None:
    (row,) = [likeliest_next(torch.randn(1, 4), [], str).after(0)]
    assert len(row) == 4
    assert sum(each.probability for each in row) == pytest.approx(1)


def test_a_trace_keeps_ten_tokens_a_row_and_no_logits(translator: Model) -> None:
    short, long = (translator.run(TEXT, generate=1, prefix=[5] * count) for count in (2, 20))
    rows = len(long.said or ()) - len(short.said or ())
    of_attention = sum(
        sum(tensor.nbytes for call in trace._calls.get(stream, ()) for tensor in call.kept) * sign
        for trace, sign in ((long, 1), (short, -1))
        for stream in ("decoder", "cross")
    )
    assert long.nbytes - short.nbytes <= of_attention + rows * (10 * (8 + 4) + 4)
