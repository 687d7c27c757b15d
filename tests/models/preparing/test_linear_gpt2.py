"""Checkpoints of nanoGPT and minGPT open as GPT-2: every attention weight and logit is the one that they compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core import load
from core.models.checking_files import header_of, values_beside
from core.models.finding import Candidate, found
from core.models.guessing import answered, guesses, stated_answers
from core.models.intake import Intake
from core.models.model import Model
from core.models.preparing import Choices, prepare, prepared_file
from core.models.preparing import safetensors_writing as writing
from core.models.preparing.change import Change
from tests.models.preparing.linear_gpt2 import LinearGpt2, Sizes, mingpt, nanogpt, save_as_nanogpt_does
from tests.sentences import is_one_sentence, refused

TEXT = "the cat sat on the mat"
MATRICES = 4 * Sizes().n_layer
BIASES = 6 * Sizes().n_layer + 1
UNTIED = "Its head and its embeddings are two matrices with different numbers, so they are not tied."


def the_one_in(folder: Path) -> Candidate:
    (candidate,) = found(folder).candidates
    return candidate


def opened(candidate: Candidate, into: Intake, beside: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """The model as the form opens it, and the config that was written; beside: what the file or a person says."""
    best = guesses(candidate.tensors)[0]
    assert (best.architecture, best.share, best.missing, best.left) == ("GPT2LMHeadModel", 1.0, (), ())
    answers = {name: stated.value for name, stated in stated_answers(best, beside).items()}
    assert answers["n_head"] == Sizes().n_head
    folder = prepare(candidate, Choices(config=answered(best, answers)), into)
    return load(str(folder), device="cpu"), json.loads((folder / "config.json").read_text())


@torch.no_grad()
def assert_computes(model: Model, network: LinearGpt2) -> None:
    assert model.report.reinitialised == model.report.unexpected == ()
    assert all(is_one_sentence(note) for note in model.report.notes)
    trace = model.run(TEXT)
    ids = torch.tensor([trace.tokens.ids])
    logits, weights = network(ids)
    torch.testing.assert_close(model.network(input_ids=ids).logits, logits, atol=1e-4, rtol=1e-4)
    assert trace.layers() == len(weights)
    for layer, expected in enumerate(weights):
        torch.testing.assert_close(trace.attention(layer), expected[0], atol=1e-5, rtol=0)
        assert expected.max() > 0.5


def test_a_checkpoint_of_nanogpt_opens_with_the_heads_that_it_says(with_tokenizer: Path, into: Intake) -> None:
    network = nanogpt(bias=False)
    save_as_nanogpt_does(network, with_tokenizer / "ckpt.pt", bias=False)
    model, config = opened(the_one_in(with_tokenizer), into, values_beside(with_tokenizer / "ckpt.pt"))
    assert_computes(model, network)
    notes = " ".join(model.report.notes)
    assert f"{MATRICES} matrices were transposed" in notes
    assert f"{BIASES} biases that the network was built without" in notes
    assert UNTIED not in notes
    assert "tie_word_embeddings" not in config
    assert config["activation_function"] == "gelu"


def test_a_model_of_mingpt_opens_with_its_own_head_and_without_its_masks(with_tokenizer: Path, into: Intake) -> None:
    network = mingpt()
    torch.save(network.state_dict(), with_tokenizer / "model.pt")
    model, config = opened(the_one_in(with_tokenizer), into, {"n_head": 4})
    assert_computes(model, network)
    assert UNTIED in model.report.notes
    assert config["tie_word_embeddings"] is False
    assert config["activation_function"] == "gelu_new"
    assert any("computes it itself" in note for note in model.report.notes)


@pytest.mark.parametrize("bias", [False, True])
def test_both_open_from_safetensors_too_whatever_stands_before_the_names(
    with_tokenizer: Path, into: Intake, bias: bool
) -> None:
    network = mingpt() if bias else nanogpt(bias)
    state = {f"my.gpt.{name}": tensor.clone() for name, tensor in network.state_dict().items()}
    save_file(state, with_tokenizer / "net.safetensors")
    model, config = opened(the_one_in(with_tokenizer), into, {"n_head": 4})
    assert_computes(model, network)
    assert config.get("tie_word_embeddings") == (False if bias else None)


def test_a_head_that_the_file_lacks_is_the_table_of_words(with_tokenizer: Path, into: Intake) -> None:
    network = nanogpt(bias=True)
    state = {name: tensor for name, tensor in network.state_dict().items() if name != "lm_head.weight"}
    save_file(state, with_tokenizer / "net.safetensors")
    assert_computes(opened(the_one_in(with_tokenizer), into, {"n_head": 4})[0], network)


def test_parts_of_one_model_are_turned_in_each_file(with_tokenizer: Path, into: Intake) -> None:
    network = nanogpt(bias=False)
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    names = sorted(state)
    for number, part in enumerate((names[::2], names[1::2]), 1):
        save_file({name: state[name] for name in part}, with_tokenizer / f"model-0000{number}-of-00002.safetensors")
    assert_computes(opened(the_one_in(with_tokenizer), into, {"n_head": 4})[0], network)
    assert (into.folder / "model.safetensors.index.json").is_file()


def test_a_file_that_lost_some_of_its_biases_gets_no_zeros_for_them(with_tokenizer: Path, into: Intake) -> None:
    state = {name: tensor.clone() for name, tensor in nanogpt(bias=True).state_dict().items()}
    del state["transformer.h.1.attn.c_attn.bias"]
    save_file(state, with_tokenizer / "net.safetensors")
    candidate = the_one_in(with_tokenizer)
    best = guesses(candidate.tensors)[0]
    assert best.missing == ("transformer.h.1.attn.c_attn.bias",)
    folder = prepare(candidate, Choices(config=answered(best, {"n_head": 4})), into)
    with refused("transformer.h.1.attn.c_attn.bias", "random weights"):
        load(str(folder), device="cpu")


def test_a_config_of_its_own_is_enough_and_stays_as_it_is(with_tokenizer: Path, into: Intake) -> None:
    network = nanogpt(bias=False)
    config = answered(guesses(shapes_of(network))[0], {"n_head": 4})
    (with_tokenizer / "config.json").write_text(json.dumps(config))
    save_file({name: tensor.clone() for name, tensor in network.state_dict().items()}, with_tokenizer / "a.safetensors")
    assert_computes(load(str(prepare(the_one_in(with_tokenizer), Choices(), into)), device="cpu"), network)
    assert json.loads((into.folder / "config.json").read_text()) == config


def test_a_notebook_opens_a_checkpoint_whose_heads_it_says_itself(with_tokenizer: Path) -> None:
    network = nanogpt(bias=True)
    save_as_nanogpt_does(network, with_tokenizer / "ckpt.pt", bias=True)
    model = load(str(with_tokenizer / "ckpt.pt"), device="cpu")
    assert_computes(model, network)
    assert "4 heads, as the file says" in model.report.assumed
    assert not any("zeros" in note.lower() for note in model.report.notes)
    torch.save(network.state_dict(), with_tokenizer / "ckpt.pt")
    with refused("the number of its heads"):
        prepared_file(with_tokenizer / "ckpt.pt")


@pytest.mark.parametrize("nbytes", [1, 64, 1 << 24])
def test_a_matrix_is_turned_piece_by_piece_to_the_bit(
    tmp_path: Path, nbytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TURNED_BYTES", nbytes)
    held: dict[str, Tensor] = {
        "single": torch.randn(7, 5), "half": torch.randn(3, 11).bfloat16(), "byte": torch.arange(12).byte().view(3, 4),
        "double": torch.randn(1, 9).double(), "other": torch.randn(2, 3),
    }  # fmt: skip
    save_file(held, tmp_path / "a.safetensors")
    turned = frozenset(held) - {"other"}
    change = Change({name: f"new.{name}" for name in held}, turned, {"zero": ("bfloat16", (3,))})
    written = b"".join(writing.changed(tmp_path / "a.safetensors", header_of(tmp_path / "a.safetensors"), change))
    (tmp_path / "b.safetensors").write_bytes(written)
    made = load_file(tmp_path / "b.safetensors")
    assert torch.equal(made.pop("zero"), torch.zeros(3, dtype=torch.bfloat16))
    assert made.keys() == {f"new.{name}" for name in held}
    for name, tensor in held.items():
        assert torch.equal(made[f"new.{name}"], tensor.T if name in turned else tensor), name


def shapes_of(network: LinearGpt2) -> dict[str, tuple[int, ...]]:
    return {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
