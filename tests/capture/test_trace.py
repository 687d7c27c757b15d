import math
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.capture import AttentionCall, Check, HeadChange, Output, Provenance, Trace, changed, check_of, record
from core.capture.stored import StoredCall
from core.models.model import Model
from core.text import TextEncoder, Tokens
from tests.tiny import LENGTH, TARGET_LENGTH, WINDOW, network_of, save_model, tiny_config, two_stack_inputs

PROVENANCE = Provenance("m", "r", "float32", "CPU", "sdpa", "causal", ())
NOTHING = Output("hidden states", torch.zeros(1))


@pytest.fixture(scope="module")
def trace(minilm: Model) -> Trace:
    return minilm.run("The cat sat on the 猫 mat 😀.")


def letters(byte_level: tokenizers.Tokenizer, length: int) -> Tokens:
    """As many tokens as asked for: no merge joins a sign with the next."""
    tokens = TextEncoder.fix(byte_level, None, 4096).encode("#" * length)
    assert len(tokens) == length
    return tokens


def call_of(tensor: torch.Tensor, **changes) -> AttentionCall:
    call = AttentionCall("p", "self", 0, tensor, tensor, mask=None, causal=False, scale=1.0, bias=None)
    return replace(call, **changes)


def test_a_trace_of_an_encoder_has_one_stream(trace: Trace) -> None:
    assert trace.streams == ("self",)
    assert (trace.layers(), trace.heads(), trace.key_value_heads()) == (6, 12, 12)
    assert trace.queries() is trace.keys() is trace.tokens
    assert trace.layers("self") == trace.layers()


def test_attention_is_float32_on_the_cpu_with_rows_that_sum_to_one(trace: Trace) -> None:
    n = len(trace.tokens)
    for layer in range(6):
        maps = trace.attention(layer)
        assert (maps.shape, maps.dtype, maps.device.type) == ((12, n, n), torch.float32, "cpu")
        assert (maps.sum(-1) - 1).abs().max() < 1e-5


def test_a_trace_says_which_heads_were_changed(minilm: Model, trace: Trace) -> None:
    with changed(minilm.network, [HeadChange("self", 2, 5), HeadChange("self", 4, 1, "uniform")]):
        other = minilm.run("The cat sat.")
    assert (trace.changed, other.changed) == ((), (("self", 2, 5), ("self", 4, 1)))


def test_a_window_is_a_part_of_the_whole(trace: Trace) -> None:
    whole = trace.attention(3)
    window = trace.attention(3, heads=[7, 0], rows=slice(2, 6), cols=slice(1, None, 2))
    assert torch.allclose(window, whole[[7, 0], 2:6, 1::2], atol=1e-6)


def test_what_is_not_there_is_refused(trace: Trace) -> None:
    for layer in (-1, 6):
        with pytest.raises(IndexError, match="0 to 5"):
            trace.attention(layer)
        with pytest.raises(IndexError, match="0 to 5"):
            trace.masked(layer)
    with pytest.raises(IndexError):
        trace.attention(0, heads=[12])
    for ask in (trace.layers, trace.heads, trace.key_value_heads):
        with pytest.raises(KeyError, match="cross"):
            ask("cross")


def test_nothing_is_masked_in_an_encoder(trace: Trace) -> None:
    n = len(trace.tokens)
    assert torch.equal(trace.masked(0), torch.zeros(n, n, dtype=torch.bool))


def test_masked_cells_of_a_causal_model_are_the_future(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "gpt2", AutoModelForCausalLM, byte_level)
    trace = load(str(tmp_path)).run("the cat sat on the mat")
    n = len(trace.tokens)
    future = torch.ones(n, n).triu(1).bool()
    for layer in range(trace.layers()):
        assert torch.equal(trace.masked(layer), future)
        assert torch.equal(trace.masked(layer, rows=slice(2, 5), cols=slice(1, 4)), future[2:5, 1:4])
        assert torch.all(trace.attention(layer)[:, future] == 0)
        assert torch.all(trace.attention(layer)[:, ~future] > 0)


def test_a_key_that_nobody_may_see_is_masked_in_every_row(byte_level: tokenizers.Tokenizer) -> None:
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    mask[..., 2] = False
    trace = Trace(letters(byte_level, 4), [call_of(torch.zeros(1, 2, 4, 8), mask=mask)], PROVENANCE, NOTHING)
    assert trace.masked(0).tolist() == [[False, False, True, False]] * 4
    assert trace.masked(0, rows=slice(1, 3)).shape == (2, 4)


def test_a_cell_that_some_head_may_see_is_not_masked(byte_level: tokenizers.Tokenizer) -> None:
    mask = torch.ones(1, 2, 3, 3, dtype=torch.bool)
    mask[:, :, 0, 2] = mask[:, 1, 1, 1] = False
    trace = Trace(letters(byte_level, 3), [call_of(torch.zeros(1, 2, 3, 8), mask=mask)], PROVENANCE, NOTHING)
    assert trace.masked(0).nonzero().tolist() == [[0, 2]]
    assert trace.attention(0)[1, 1].tolist() == [0.5, 0, 0.5]


def test_masked_cells_of_a_sliding_window_are_the_future_and_the_far_past(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    save_model(tmp_path, "mistral", AutoModelForCausalLM, byte_level)
    trace = load(str(tmp_path)).run("#" * 20)
    back = torch.arange(20)[:, None] - torch.arange(20)[None, :]
    unseen = (back < 0) | (back >= WINDOW)
    for layer in range(trace.layers()):
        assert torch.equal(trace.masked(layer), unseen)
        assert torch.all(trace.attention(layer)[:, unseen] == 0)
    assert trace.provenance.mask == "causal"


def test_the_streams_of_an_encoder_decoder_have_their_own_sides(byte_level: tokenizers.Tokenizer) -> None:
    network = network_of(tiny_config("bart"), auto=AutoModelForSeq2SeqLM)
    with torch.no_grad(), record(network) as recording:
        network(**two_stack_inputs("none"), use_cache=False)
    source, target = letters(byte_level, LENGTH), letters(byte_level, TARGET_LENGTH)
    sides = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
    trace = Trace(source, recording.calls, PROVENANCE, NOTHING, sides)
    assert trace.streams == ("encoder", "decoder", "cross")
    assert [trace.layers(stream) for stream in trace.streams] == [2, 3, 3]
    assert trace.attention(2, stream="cross").shape == (4, TARGET_LENGTH, LENGTH)
    assert (trace.queries("cross"), trace.keys("cross")) == (target, source)
    assert trace.masked(0, "decoder").sum() == TARGET_LENGTH * (TARGET_LENGTH - 1) // 2
    with pytest.raises(ValueError, match="decoder"):
        Trace(source, recording.calls, PROVENANCE, NOTHING)


def test_calls_that_do_not_fit_the_tokens_are_refused(byte_level: tokenizers.Tokenizer) -> None:
    with pytest.raises(ValueError, match="4 queries"):
        Trace(letters(byte_level, 4), [call_of(torch.zeros(1, 2, 5, 8))], PROVENANCE, NOTHING)


def test_layers_may_differ_in_their_heads(byte_level: tokenizers.Tokenizer) -> None:
    calls = [call_of(torch.zeros(1, heads, 3, 8)) for heads in (2, 6)]
    trace = Trace(letters(byte_level, 3), calls, PROVENANCE, NOTHING)
    assert trace.heads() == 6
    assert trace.attention(0).shape == (2, 3, 3)


def test_a_trace_says_what_each_layer_is(byte_level: tokenizers.Tokenizer) -> None:
    query, key = torch.zeros(1, 4, 5, 8), torch.zeros(1, 2, 5, 8)
    plain = AttentionCall("model.layers.3.attn", "self", 0, query, key, None, causal=True, scale=1.0, bias=None)
    sunk = replace(
        plain, path="model.layers.7.attn", layer=1, kind="sliding window of 3", sinks=torch.zeros(1, 4, 1, 1)
    )
    trace = Trace(letters(byte_level, 5), [plain, sunk], PROVENANCE, NOTHING)
    assert [trace.path(layer) for layer in range(2)] == ["model.layers.3.attn", "model.layers.7.attn"]
    assert [trace.kind(layer) for layer in range(2)] == ["global", "sliding window of 3"]
    assert trace.groups(0) == (0, 0, 1, 1)
    assert [trace.has_sink(layer) for layer in range(2)] == [False, True]
    # A sink that scores like each of the keys gets as much as one of them.
    assert torch.allclose(trace.sink_share(1), (1 / torch.arange(2, 7)).expand(4, -1))
    assert torch.allclose(trace.sink_share(1, [2], rows=slice(1, 3)), torch.tensor([[1 / 3, 1 / 4]]))
    assert torch.all(trace.sink_share(0) == 0)


def test_a_trace_of_stored_and_of_referred_calls_reads_the_same(byte_level: tokenizers.Tokenizer) -> None:
    torch.manual_seed(0)
    mask = torch.ones(1, 1, 4, 4).tril().bool()
    mask[..., 0, :] = False
    by_reference = call_of(torch.randn(1, 2, 4, 8), mask=mask, layer=0)
    stored = StoredCall("p", "self", 1, stored=by_reference.weights()[None], blocked=~mask)
    trace = Trace(letters(byte_level, 4), [by_reference, stored], PROVENANCE, NOTHING)
    windows = [
        (None, slice(None), slice(None)),
        ([1], slice(1, 3), slice(None, None, 2)),
        ([1, 0], slice(2, 4), slice(1)),
    ]
    for heads, rows, cols in windows:
        first, second = (trace.attention(layer, heads, rows=rows, cols=cols) for layer in range(2))
        assert torch.equal(first, second)
        assert torch.equal(trace.masked(0, rows=rows, cols=cols), trace.masked(1, rows=rows, cols=cols))
    assert trace.dead_rows(0).tolist() == trace.dead_rows(1).tolist() == [True, False, False, False]
    assert trace.exact
    assert not Trace(letters(byte_level, 4), [stored.rounded(torch.float16)], PROVENANCE, NOTHING).exact


def test_memory_counts_each_storage_once(byte_level: tokenizers.Tokenizer) -> None:
    fused = torch.zeros(1, 3, 2, 5, 8)
    query, key, _ = fused.unbind(1)
    mask = torch.ones(1, 1, 5, 5, dtype=torch.bool)
    calls = [call_of(query, key=key, mask=mask), call_of(query, key=key, mask=mask.expand(1, 2, 5, 5), layer=1)]
    trace = Trace(letters(byte_level, 5), calls, PROVENANCE, NOTHING)
    assert trace.nbytes == fused.nbytes + mask.nbytes + NOTHING.values.nbytes


def test_memory_of_a_run_is_its_queries_and_keys(minilm: Model) -> None:
    trace = minilm.run("word " * 300)
    n, width, layers = len(trace.tokens), 384, 6
    assert trace.nbytes == 4 * n * width * (2 * layers + 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_the_check_sums_up_the_worst_error(dtype: torch.dtype) -> None:
    check = check_of([[0.0, 1e-7], [3e-7, 2e-7]], dtype)
    assert check == Check(error=3e-7, tolerance=check.tolerance, calls=2)
    assert check.passed
    assert not check_of([[0.0], [2 * check.tolerance]], dtype).passed


def test_a_check_with_nan_has_not_passed() -> None:
    check = check_of([[0.0, math.nan], [0.0]], torch.float32)
    assert math.isnan(check.error)
    assert not check.passed


def test_an_error_may_be_as_large_as_rounding_alone_and_no_larger() -> None:
    eps = torch.finfo(torch.float32).eps
    assert check_of([[150 * eps]], torch.float32, [[200.0]]).passed
    assert not check_of([[150 * eps]], torch.float32, [[100.0]]).passed
    check = check_of([[0.0, 60 * eps], [190 * eps, 1e-9]], torch.float32, [[1.0, 1.0], [200.0, 1.0]])
    assert check == Check(error=190 * eps, tolerance=200 * eps, calls=2)
