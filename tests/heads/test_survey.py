from pathlib import Path

import pytest
import tokenizers
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.capture import AttentionCall, Trace
from core.heads import Filters, attention_map, blocks, measure, retiled, survey
from core.heads.pooling import pooled
from core.heads.survey import MAX_CELLS, MAX_TILE
from core.jobs import Cancelled, Job, Progress
from core.models.model import Model
from core.text import TextEncoder, merge
from tests.heads.hand_made import nothing_masked, random_trace, stored_trace, tokens_of, trace_of
from tests.sentences import refused
from tests.tiny import save_model


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> Model:
    folder = tmp_path_factory.mktemp("gpt2")
    save_model(folder, "gpt2", AutoModelForCausalLM, byte_level, n_positions=256)
    return load(str(folder))


def dense_trace(byte_level: tokenizers.Tokenizer, n: int, heads: list[int]) -> Trace:
    tokens = TextEncoder.fix(byte_level, None, 4096).encode("#" * n)
    calls = [
        AttentionCall("p", "self", layer, *torch.randn(2, 1, count, n, 4), None, causal=True, scale=0.5, bias=None)
        for layer, count in enumerate(heads)
    ]
    return trace_of(calls, tokens)


def test_tiles_of_a_short_text_are_the_maps(minilm: Model) -> None:
    trace = minilm.run("猫 and the cat sat on the mat 😀 " * 4)
    assert len(trace.tokens) <= MAX_TILE
    found = survey(trace, "self")
    assert found.factor == 1
    for layer in range(6):
        assert torch.equal(found.tiles[layer], trace.attention(layer))


def test_tiles_of_a_long_text_are_the_largest_weights_of_blocks(minilm: Model) -> None:
    trace = minilm.run("the cat sat " * 60)
    n = len(trace.tokens)
    found = survey(trace, "self")
    side = -(-n // found.factor)
    assert found.factor == -(-n // 64)
    assert found.tiles.shape == (6, 12, side, side)
    for layer, head, row, column in [(0, 0, 0, 0), (3, 7, 5, 2), (5, 11, side - 1, side - 1)]:
        block = trace.attention(
            layer,
            [head],
            rows=slice(row * found.factor, (row + 1) * found.factor),
            cols=slice(column * found.factor, (column + 1) * found.factor),
        )
        assert found.tiles[layer, head, row, column] == pytest.approx(float(block.max()), abs=1e-7)
    assert torch.allclose(found.tiles.amax((2, 3)), torch.stack([trace.attention(i).amax((1, 2)) for i in range(6)]))


@pytest.mark.parametrize("text", ["the cat sat", "#" * 200])
def test_a_cell_is_nan_only_where_all_of_it_is_masked(causal: Model, text: str) -> None:
    trace = causal.run(text)
    n = len(trace.tokens)
    found = survey(trace, "self")
    side = found.tiles.shape[-1]
    assert (n > MAX_TILE) == (found.factor > 1)
    ahead = torch.arange(side)[None, :] * found.factor > (torch.arange(side)[:, None] + 1) * found.factor - 1
    ahead |= torch.arange(side)[None, :] * found.factor > n - 1
    assert torch.equal(found.tiles.isnan(), ahead.expand_as(found.tiles))


@pytest.mark.parametrize(("layers", "heads", "n"), [(32, 32, 100), (2, 2, 300), (1, 1, 1)])
def test_all_heads_together_stay_below_the_bound(
    byte_level: tokenizers.Tokenizer, layers: int, heads: int, n: int
) -> None:
    found = survey(dense_trace(byte_level, n, [heads] * layers), "self")
    assert found.tiles.shape[:2] == (layers, heads)
    assert found.tiles.numel() <= MAX_CELLS
    assert max(found.tiles.shape[2:]) <= MAX_TILE
    assert found.nbytes == 4 * found.tiles.numel()


def test_a_layer_with_fewer_heads_has_empty_tiles(byte_level: tokenizers.Tokenizer) -> None:
    found = survey(dense_trace(byte_level, 5, [2, 4]), "self")
    assert found.tiles.shape == (2, 4, 5, 5)
    assert found.tiles[0, 2:].isnan().all()
    assert not found.tiles[1, 2:, -1].isnan().any()
    assert [len(m.entropy) for m in found.measures] == [2, 4]


def test_the_measures_are_those_of_each_layer(causal: Model) -> None:
    trace = causal.run("the cat sat on the mat")
    for layer, found in enumerate(survey(trace, "self").measures):
        expected = measure(trace.attention(layer), trace.masked(layer), special=trace.tokens.special)
        for name, value in vars(expected).items():
            torch.testing.assert_close(getattr(found, name), value, atol=0, rtol=0, msg=name)


BLOCKS = [(300, 4), (300, 40_000), (300, 3_000), (300, 1_000), (90, 400)]


@pytest.mark.parametrize(("n", "cells"), BLOCKS)
def test_a_survey_in_blocks_is_that_of_whole_layers(n: int, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = random_trace(n, layers=2, heads=3)
    whole = survey(trace, "self")
    monkeypatch.setattr(blocks, "CELLS", cells)
    found = survey(trace, "self")
    torch.testing.assert_close(found.tiles, whole.tiles, equal_nan=True, atol=1e-6, rtol=0)
    assert found.factor == whole.factor
    for mine, theirs in zip(found.measures, whole.measures, strict=True):
        for name, value in vars(theirs).items():
            torch.testing.assert_close(getattr(mine, name), value, atol=1e-6, rtol=1e-6, msg=name)


@pytest.mark.parametrize("n", [9, 150])
@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("special", ["show", "hide", "renormalise"])
def test_tiles_under_filters_are_maps_under_filters_made_small(n: int, words: bool, special: str) -> None:
    trace, filters = random_trace(n, layers=2, heads=3), Filters(words, special)
    plain = survey(trace, "self")
    found = retiled(trace, plain, filters)
    assert (found.filters, found.measures, found.stream) == (filters, plain.measures, "self")
    for layer in range(2):
        shown = attention_map(trace, "self", layer, filters=filters)
        assert found.factor == -(-len(shown.rows) // MAX_TILE)
        expected = pooled(shown.weights, shown.masked, found.factor)
        torch.testing.assert_close(found.tiles[layer], expected, equal_nan=True, atol=1e-6, rtol=0)
    assert found.top == float(found.tiles[~found.tiles.isnan()].max())
    back = retiled(trace, found, Filters())
    assert torch.equal(back.tiles.nan_to_num(2), plain.tiles.nan_to_num(2))
    assert retiled(trace, found, filters) is found


def test_filters_that_leave_nothing_are_refused() -> None:
    trace = random_trace(2)
    with refused("Only special tokens were read"):
        retiled(trace, survey(trace, "self"), Filters(special="hide"))


def test_every_stream_of_an_encoder_decoder_is_surveyed(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "bart", AutoModelForSeq2SeqLM, byte_level, max_position_embeddings=128)
    trace = load(str(tmp_path)).run("the cat sat on the mat", target="猫 and cats")
    surveys = {stream: survey(trace, stream) for stream in trace.streams}
    for stream, found in surveys.items():
        rows, cols = len(trace.queries(stream)), len(trace.keys(stream))
        assert found.tiles.shape == (trace.layers(stream), 4, rows, cols)
        assert found.measures[0].own.isnan().all() == (stream == "cross")
    assert not surveys["cross"].tiles.isnan().any()
    assert surveys["decoder"].measures[0].next.tolist() == [0] * 4  # it looks only back
    assert surveys["encoder"].measures[0].uniform_next == pytest.approx(1 / len(trace.keys("encoder")))
    merged = attention_map(trace, "cross", 1, filters=Filters(words=True))
    expected = merge(trace.attention(1, stream="cross"), trace.queries("cross"), trace.keys("cross"))
    torch.testing.assert_close(merged.weights, expected)
    words = retiled(trace, surveys["cross"], Filters(words=True))
    assert words.tiles.shape[2:] == merged.weights.shape[1:]


def test_special_keys_are_those_of_the_text_that_is_looked_at() -> None:
    queries, keys = tokens_of([0] * 3), tokens_of([None, 0, None, 1])
    trace = stored_trace(torch.full((2, 3, 4), 0.25), nothing_masked(3, 4), queries, keys)
    found = survey(trace, "cross").measures[0]
    assert (found.special.tolist(), found.uniform_special) == ([0.5, 0.5], 0.5)


def test_a_survey_tells_each_layer_and_stops_when_asked(minilm: Model) -> None:
    trace = minilm.run("The cat sat.")
    told: list[Progress] = []
    survey(trace, "self", Job("ann", "Look", told.append))
    assert [(p.done, p.total) for p in told] == [(layer, 6) for layer in range(1, 7)]
    stopped = Job("ann", "Look", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        survey(trace, "self", stopped)
