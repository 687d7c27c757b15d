"""Longformer's band with its global tokens and LongT5's blocks, against the library's own tensors read by hand."""

import pytest
import torch
from torch import Tensor
from transformers import LongformerConfig, LongformerModel

from core.capture import Recording, check_of, prepare, query_key_detail, record
from core.capture.sparse import SparseCall
from tests.architectures import Architecture
from tests.tiny import batch, sharpen

WINDOW = 4
SMALL = dict(
    vocab_size=96, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
    max_position_embeddings=64, attention_window=WINDOW, pad_token_id=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def longformer() -> LongformerModel:
    network = LongformerModel(LongformerConfig(**SMALL))
    sharpen(network)
    network.eval().requires_grad_(False)
    assert prepare(network, batch("right")) == "tap"
    return network


def globals_at(*places: tuple[int, ...], length: int) -> Tensor:
    """One tuple of places a text: (B, T)"""
    marks = torch.zeros(len(places), length, dtype=torch.long)
    for text, mine in enumerate(places):
        marks[text, list(mine)] = 1
    return marks


def run(network: torch.nn.Module, **inputs: Tensor) -> Recording:
    with torch.no_grad(), record(network) as recording:
        network(**inputs)
    assert check_of(recording.errors(), torch.float32).passed
    return recording


def read_by_hand(answer, layer: int, text: int, places: tuple[int, ...], length: int) -> Tensor:
    """From the library's band, its global keys' columns and its global queries' rows: (H, T, T)."""
    band = answer.attentions[layer][text].double()  # (H, T, G + 2 w + 1)
    count = band.shape[-1] - WINDOW - 1
    full = torch.zeros(band.shape[0], length, length, dtype=torch.double)
    for query in range(length):
        for column in range(WINDOW + 1):
            key = query + column - WINDOW // 2
            if 0 <= key < length:
                full[:, query, key] += band[:, query, count + column]
        for column, key in enumerate(places):
            full[:, query, key] += band[:, query, column]
    for row, query in enumerate(places):
        full[:, query] = answer.global_attentions[layer][text][:, :length, row]
    return full.float()


@pytest.mark.parametrize("length", [24, 22, 5])
@pytest.mark.parametrize("places", [((0,), (0,)), ((0, 7), (3,)), ((4,), ())], ids=str)
def test_global_tokens_see_all_and_are_seen_by_all(longformer, places: tuple, length: int) -> None:
    places = tuple(tuple(p for p in mine if p < length) for mine in places)
    inputs = batch("none", length) | {"global_attention_mask": globals_at(*places, length=length)}
    recording = run(longformer, **inputs)
    with torch.no_grad():
        answer = longformer(**inputs, output_attentions=True)
    for layer, call in enumerate(recording.calls):
        assert (call.queries, call.keys) == (length, length)
        for text, mine in enumerate(places):
            weights, masked = call.weights(batch=text), call.masked(batch=text)
            assert (weights - read_by_hand(answer, layer, text, mine, length)).abs().max() < 1e-6
            assert (weights.sum(-1) - 1).abs().max() < 1e-5
            far = (torch.arange(length)[:, None] - torch.arange(length)).abs() > WINDOW // 2
            far[:, list(mine)] = False
            far[list(mine)] = False
            assert torch.equal(masked[0], far)


@pytest.mark.parametrize("places", [((0,), (0,)), ((0, 7), (3,)), ((4,), ())], ids=str)
def test_a_global_query_meets_keys_of_its_own(longformer, places: tuple) -> None:
    inputs = batch("none") | {"global_attention_mask": globals_at(*places, length=24)}
    first = run(longformer, **inputs).calls[0]
    for text, mine in enumerate(places):
        for query in range(24):
            detail = query_key_detail(first, 1, query, text)
            assert (detail.remark, detail.dims, detail.added) == ("", 8, None)
            assert (detail.weights - first.weights([1], batch=text)[0, query]).abs().max() < 1e-6
            assert (detail.logits.softmax(0) - detail.weights).abs().max() < 1e-5
            layer = longformer.encoder.layer[0].attention.self
            keys = layer.key_global if query in mine else layer.key
            assert detail.key is not None
            hidden = longformer.embeddings(inputs["input_ids"])[text]
            assert torch.allclose(detail.key, keys(hidden)[:, 8:16], atol=1e-5)


def test_padding_is_masked_and_dead(longformer) -> None:
    (first, _) = run(longformer, **batch("right", 22)).calls
    real = batch("right", 22)["attention_mask"][1].bool()
    assert torch.equal(first.dead_rows(batch=1)[0], ~real)
    assert torch.all(first.masked(batch=1)[0][:, ~real])
    assert torch.allclose(first.weights(batch=1).sum(-1), real.float(), atol=1e-6)


def test_a_window_of_a_sparse_call_is_a_part_of_the_whole(longformer) -> None:
    inputs = batch("none") | {"global_attention_mask": globals_at((0, 9), (2,), length=24)}
    call = run(longformer, **inputs).calls[1]
    assert isinstance(call, SparseCall)
    for rows, cols in [
        (slice(3, 11), slice(None)),
        (slice(None, None, 3), slice(5, 12)),
        (slice(-4, None), slice(0, 1)),
    ]:
        assert torch.equal(call.weights([3, 1], rows, cols), call.weights()[[3, 1], rows, cols])
        assert torch.equal(call.masked(rows, cols), call.masked()[:, rows, cols])


def test_rounding_a_sparse_call_is_said(longformer) -> None:
    inputs = batch("none") | {"global_attention_mask": globals_at((0,), (0,), length=24)}
    exact = run(longformer, **inputs).calls[0]
    with torch.no_grad(), record(longformer, store=torch.float16) as recording:
        longformer(**inputs)
    rounded = recording.calls[0]
    assert (exact.exact, rounded.exact) == (True, False)
    assert sum(t.nbytes for t in rounded.kept) < sum(t.nbytes for t in exact.kept)
    assert (rounded.weights() - exact.weights()).abs().max() < 5e-4


def test_nan_in_a_band_is_named_even_far_from_the_last_query(longformer) -> None:
    network = LongformerModel(longformer.config).eval()
    prepare(network, batch("right"))
    network.encoder.layer[1].attention.self.value.weight.data[2 * 8] = torch.nan
    with torch.no_grad(), record(network) as recording:
        network(**batch("none"))
    errors = torch.tensor(recording.errors())
    assert torch.isnan(errors).tolist() == [[False] * 4, [False, False, True, False]]


@pytest.mark.parametrize("length", [24, 22, 9, 3])
def test_a_summary_of_a_block_is_no_token(length: int) -> None:
    changes = dict(local_radius=3, global_block_size=4, encoder_attention_type="transient-global")
    architecture = Architecture("longt5", changes)
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    inputs = batch("none", length) | {"decoder_input_ids": batch("none", 5)["input_ids"], "use_cache": False}
    encoder = [call for call in run(network, **inputs).calls if call.stream == "encoder"]
    for call in encoder:
        assert (call.queries, call.keys) == (length, length)
        # Texts shorter than a block have no summary.
        assert call.has_sink is (length >= 4)
        assert torch.allclose(call.weights().sum(-1) + call.sink_share(), torch.ones(4, length), atol=1e-5)
        far = (torch.arange(length)[:, None] - torch.arange(length)).abs() > 3
        assert torch.equal(call.masked()[0], far)
