"""What a recording keeps alive, in exact bytes, against what `output_attentions=True` would return."""

import pytest
import torch
from torch import Tensor
from transformers import GPT2Config, GPT2Model, T5Config, T5EncoderModel

from core.capture import Recording, check_of, prepare, record
from tests.architectures import Architecture
from tests.tiny import batch, tiny_network

LENGTH, LAYERS, HEADS, WIDTH = 1024, 2, 12, 768
MAPS = LAYERS * HEADS * LENGTH * LENGTH * 4


@pytest.fixture(scope="module")
def gpt2() -> GPT2Model:
    """Of GPT-2's size, with two of its twelve layers: all layers cost the same."""
    return GPT2Model(GPT2Config(n_layer=LAYERS)).eval().requires_grad_(False)


@torch.no_grad()
def run(network: torch.nn.Module, store: torch.dtype | None = None, **inputs: Tensor) -> Recording:
    # A cache would keep copies of its own.
    options = {"use_cache": False} if hasattr(network.config, "use_cache") else {}
    with record(network, store=store) as recording:
        network(**(inputs or batch("none")), **options)
    return recording


def kept(recording: Recording) -> int:
    """Bytes of all storages that the calls keep alive, each counted once."""
    tensors = [tensor for call in recording.calls for tensor in call.kept]
    return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}.values())


def ids(length: int) -> Tensor:
    return torch.randint(0, 1000, (1, length), generator=torch.Generator().manual_seed(0))


def test_by_reference_it_is_a_fifth_of_the_maps(gpt2: GPT2Model) -> None:
    recording = run(gpt2, input_ids=ids(LENGTH))
    # GPT-2 makes query, key and value in one tensor, so all three stay.
    assert kept(recording) == LAYERS * 3 * LENGTH * WIDTH * 4 <= MAPS / 5
    assert all(call.exact for call in recording.calls)


def test_in_16_bits_it_is_a_fifteenth(gpt2: GPT2Model) -> None:
    exact = run(gpt2, input_ids=ids(LENGTH))
    rounded = run(gpt2, torch.float16, input_ids=ids(LENGTH))
    assert kept(rounded) == LAYERS * 2 * LENGTH * WIDTH * 2 <= MAPS / 15
    assert not any(call.exact for call in rounded.calls)
    assert rounded.errors() == exact.errors()
    for mine, theirs in zip(rounded.calls, exact.calls, strict=True):
        assert (mine.weights([0, 5]) - theirs.weights([0, 5])).abs().max() < 1e-3


def test_grouped_heads_keep_fewer_keys() -> None:
    recording = run(tiny_network("llama"), torch.bfloat16)
    assert kept(recording) == sum(2 * 24 * (4 + 2) * 8 * 2 for _ in recording.calls)


def test_a_position_bias_is_kept_once_for_all_layers() -> None:
    network = T5EncoderModel(T5Config(vocab_size=96, d_model=32, d_kv=8, num_heads=4, num_layers=3, d_ff=48)).eval()
    recording = run(network, torch.float16, **batch("none"))
    assert kept(recording) == 3 * 2 * (2 * 4 * 24 * 8) * 2 + 4 * 24 * 24 * 4


@pytest.mark.parametrize("kind", ["bloom", "gemma2"])
def test_other_paths_are_rounded_too(kind: str) -> None:
    architecture = Architecture(kind)
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    exact, rounded = run(network), run(network, torch.float16)
    assert kept(rounded) < kept(exact)
    for mine, theirs in zip(rounded.calls, exact.calls, strict=True):
        assert (mine.exact, theirs.exact) == (False, True)
        assert (mine.weights() - theirs.weights()).abs().max() < 2e-2
        assert torch.equal(mine.masked(), theirs.masked())


def test_what_already_has_16_bits_stays_as_it_is() -> None:
    recording = run(tiny_network("bert").half(), torch.float16)
    assert all(call.exact for call in recording.calls)


def test_numbers_that_16_bits_cannot_hold_are_not_rounded() -> None:
    network = tiny_network("bert")
    network.encoder.layer[1].attention.self.query.weight.data.mul_(1e5)
    recording = run(network, torch.float16)
    assert [call.exact for call in recording.calls] == [False, True, False]
    assert all(torch.isfinite(call.weights()).all() for call in recording.calls)
    assert check_of(recording.errors(), torch.float32).passed


def test_the_maps_that_the_tap_stores_are_the_model_s_own_and_one_mask_serves_all_heads() -> None:
    architecture = Architecture("bloom")
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    for call in run(network, **architecture.inputs("right")).calls:
        weights, blocked, sizes, query, key, alibi = call.kept
        assert weights.nbytes == 2 * 4 * 24 * 24 * 4
        assert tuple(blocked.shape) == (2, 1, 24, 24)
        assert sizes.nbytes == 2 * 4 * 24 * 4
        assert query.nbytes == key.nbytes == 2 * 4 * 24 * 8 * 4
        assert tuple(alibi.shape) == (2, 4, 1, 24)


def test_what_is_as_large_as_the_maps_is_not_kept_beside_them() -> None:
    architecture = Architecture("mpnet")
    network = architecture.network()
    prepare(network, architecture.inputs("none"))
    inputs = {name: tensor[:1] for name, tensor in architecture.inputs("none").items()}
    for call in run(network, **inputs).calls:
        # A bias for each head, query and key: what the logits have more than q·k shows it.
        assert sum(tensor.numel() > call.heads * 24 * 8 for tensor in call.kept) == 1
