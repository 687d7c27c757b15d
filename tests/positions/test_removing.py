"""Without positions: f(Px) = P f(x) where every token sees every other, and the network itself is left as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from core import load
from core.capture import Call, prepare, record
from core.models.loading import load as load_with
from core.positions.removing import without_positions
from tests.architectures import ARCHITECTURES, Architecture
from tests.sentences import refused
from tests.tiny import VOCABULARY

BY_TITLE = {architecture.title: architecture for architecture in ARCHITECTURES}
# Each way in which positions get in, where nothing is masked: tables, sinusoids of three kinds, biases, vectors of a
# distance, and turned queries and keys.
SEEING_ALL = (
    "albert", "bert", "bart", "deberta", "deberta-v2", "distilbert", "esm", "m2m_100", "marian", "modernbert", "mpnet",
    "roberta", "roformer", "t5", "xlm",
)  # fmt: skip
CAUSAL = ("bloom", "codegen", "ctrl", "gpt2", "gpt_neox", "gptj", "llama", "mpt", "opt", "phi", "xglm")
PERMUTATION = torch.tensor([2, 0, 3, 1, 4])
IDS = torch.randint(3, VOCABULARY, (1, len(PERMUTATION)), generator=torch.Generator().manual_seed(3))
# Of float32, in maps of weights up to 1 and outputs of size 1 to 10: methods.md measures 5e-7.
ROUNDING = 5e-6

Run = tuple[list[Tensor], Tensor]


def opened(name: str) -> PreTrainedModel:
    architecture: Architecture = BY_TITLE[name]
    network = architecture.network()
    prepare(network, architecture.inputs("right"))
    return network


@torch.no_grad()
def run(network: Any, ids: Tensor) -> Run:
    """The maps of the stack that reads the text, and the answer."""
    said = {"decoder_input_ids": torch.tensor([[1, 5, 6]])} if network.config.is_encoder_decoder else {}
    with record(network) as recording:
        answer = network(input_ids=ids, attention_mask=torch.ones_like(ids), **said)[0]
    calls: list[Call] = [call for call in recording.calls if call.stream in ("self", "encoder")]
    return [call.weights() for call in calls], answer


def permuted(maps: Tensor) -> Tensor:
    return maps[:, PERMUTATION][:, :, PERMUTATION]


def gap(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


@pytest.mark.parametrize("name", SEEING_ALL)
def test_maps_and_outputs_are_permuted_as_the_tokens_are(name: str) -> None:
    network = opened(name)
    bare: Any = without_positions(network)
    (maps, answer), (moved, other) = run(bare, IDS), run(bare, IDS[:, PERMUTATION])
    assert max(gap(after, permuted(before)) for before, after in zip(maps, moved, strict=True)) < ROUNDING
    # What an encoder-decoder says does not depend on the order at all.
    expected = answer if bare.config.is_encoder_decoder else answer[:, PERMUTATION]
    assert gap(other, expected) < ROUNDING * float(answer.abs().max())
    (own, _), (own_moved, _) = run(network, IDS), run(network, IDS[:, PERMUTATION])
    assert max(gap(after, permuted(before)) for before, after in zip(own, own_moved, strict=True)) > 0.05


@pytest.mark.parametrize("name", CAUSAL)
def test_under_a_causal_mask_only_what_sees_all_is_permuted_and_only_in_the_first_layer(name: str) -> None:
    network = opened(name)
    bare: Any = without_positions(network)
    (maps, _), (moved, _) = run(bare, IDS), run(bare, IDS[:, PERMUTATION])
    # The last token sees all of them, and here it is not moved.
    assert gap(moved[0][:, -1], maps[0][:, -1][:, PERMUTATION]) < ROUNDING
    assert max(gap(after, permuted(before)) for before, after in zip(maps, moved, strict=True)) > 0.5
    (own, _), (own_moved, _) = run(network, IDS), run(network, IDS[:, PERMUTATION])
    assert gap(own_moved[0][:, -1], own[0][:, -1][:, PERMUTATION]) > 1e-3


@pytest.mark.parametrize("name", ["bert", "llama", "bloom", "t5"])
def test_the_network_itself_runs_to_the_bit_as_before_and_its_other_weights_are_shared(name: str) -> None:
    network = opened(name)
    before = run(network, IDS)
    bare = without_positions(network)
    without = run(bare, IDS)
    after = run(network, IDS)
    assert all(
        torch.equal(one, other) for one, other in zip([*before[0], before[1]], [*after[0], after[1]], strict=True)
    )
    assert not torch.equal(before[1], without[1])
    own = {path: weight.data_ptr() for path, weight in network.named_parameters()}
    moved = [path for path, weight in bare.named_parameters() if weight.data_ptr() != own[path]]
    assert all("position" in path or "relative_attention_bias" in path for path in moved)
    assert len(moved) <= 1


def test_of_an_encoder_decoder_the_decoder_keeps_its_positions() -> None:
    bare = without_positions(opened("bart"))
    tables = {path: weight for path, weight in bare.named_parameters() if path.endswith("embed_positions.weight")}
    assert {path: bool(weight.any()) for path, weight in tables.items()} == {
        "model.encoder.embed_positions.weight": False,
        "model.decoder.embed_positions.weight": True,
    }


def test_a_scaled_rotary_keeps_its_temperature() -> None:
    scaling = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16, rope_theta=10_000.0)
    network = Architecture("llama", dict(rope_parameters=scaling)).network()
    bare: Any = without_positions(network)
    cosine, sine = bare.model.rotary_emb(torch.zeros(1, 5, 32), torch.arange(5)[None])
    assert not sine.any()
    temperature = 0.1 * torch.tensor(4.0).log() + 1
    assert torch.allclose(cosine, temperature.expand_as(cosine))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("falcon with ALiBi", "inside its layers"),
        ("convbert", "convolution"),
        ("mobilebert", "neighbours"),
        ("jamba", "recurrence"),
        ("xlnet", "not known"),
    ],
)
def test_what_cannot_be_taken_out_is_said(name: str, why: str) -> None:
    with refused(BY_TITLE[name].kind, why):
        without_positions(BY_TITLE[name].network())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("zh-en-gru-bahdanau", "recurrence"),
        ("sentiment-bilstm-additive-0", "recurrence"),
        ("sentiment-cnn-additive", "convolution"),
    ],
)
def test_our_own_networks_that_read_in_order_are_refused(name: str, why: str) -> None:
    with refused(why):
        without_positions(load(name).network)


def test_a_network_on_several_devices_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path))
    spread = load_with("all-MiniLM-L6-v2", device="auto", memory={"cpu": 60_000_000})  # the rest goes to the disk
    with refused("one device"):
        without_positions(spread.network)
