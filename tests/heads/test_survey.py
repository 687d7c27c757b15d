import pytest
import tokenizers
import torch
from transformers import AutoModelForCausalLM

from core import load
from core.capture import AttentionCall, Output, Provenance, Trace
from core.heads import measure, survey
from core.heads.survey import MAX_CELLS, MAX_TILE
from core.jobs import Cancelled, Job, Progress
from core.models.model import Model
from core.text import TextEncoder
from tests.tiny import save_model


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> Model:
    folder = tmp_path_factory.mktemp("gpt2")
    save_model(folder, "gpt2", AutoModelForCausalLM, byte_level, n_positions=256)
    return load(str(folder))


def random_trace(byte_level: tokenizers.Tokenizer, n: int, layers: int, heads: int | list[int]) -> Trace:
    tokens = TextEncoder.fix(byte_level, None, 4096).encode("#" * n)
    counts = heads if isinstance(heads, list) else [heads] * layers
    calls = [
        AttentionCall("p", "self", layer, *torch.randn(2, 1, count, n, 4), None, causal=True, scale=0.5, bias=None)
        for layer, count in enumerate(counts)
    ]
    provenance = Provenance("m", "r", "float32", "CPU", "sdpa", "causal", ())
    return Trace(tokens, calls, provenance, Output("hidden states", torch.zeros(1)))


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
    found = survey(random_trace(byte_level, n, layers, heads), "self")
    assert found.tiles.shape[:2] == (layers, heads)
    assert found.tiles.numel() <= MAX_CELLS
    assert max(found.tiles.shape[2:]) <= MAX_TILE
    assert found.nbytes == 4 * found.tiles.numel()


def test_a_layer_with_fewer_heads_has_empty_tiles(byte_level: tokenizers.Tokenizer) -> None:
    found = survey(random_trace(byte_level, 5, 2, [2, 4]), "self")
    assert found.tiles.shape == (2, 4, 5, 5)
    assert found.tiles[0, 2:].isnan().all()
    assert not found.tiles[1, 2:, -1].isnan().any()
    assert [len(m.entropy) for m in found.measures] == [2, 4]


def test_the_measures_are_those_of_each_layer(causal: Model) -> None:
    trace = causal.run("the cat sat on the mat")
    for layer, found in enumerate(survey(trace, "self").measures):
        expected = measure(trace.attention(layer), trace.masked(layer))
        assert torch.equal(found.entropy, expected.entropy)
        assert found.uniform_distance == expected.uniform_distance


def test_a_survey_tells_each_layer_and_stops_when_asked(minilm: Model) -> None:
    trace = minilm.run("The cat sat.")
    told: list[Progress] = []
    survey(trace, "self", Job("ann", "Look", told.append))
    assert [(p.done, p.total) for p in told] == [(layer, 6) for layer in range(1, 7)]
    stopped = Job("ann", "Look", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        survey(trace, "self", stopped)
