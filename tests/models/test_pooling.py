"""Pooling: each mode by its definition, the modules after it, and where a folder brings them from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import AutoModel, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

from core import load
from core.models import download
from core.models.finding import found
from core.models.intake import Intake
from core.models.model import Model
from core.models.pooling import MODES, pooling_of
from core.models.preparing import Choices, prepare
from core.saliency import ask
from tests.models.hub_server import REPO, serving
from tests.sentences import is_one_sentence, refused
from tests.tiny import WIDTH, save_model

ONE, OTHER = "the cat sat on the mat", "the dog chased the owner"
TRANSFORMER, POOLING, DENSE, NORMALIZE, LAYER_NORM, DROPOUT = (
    f"sentence_transformers.models.{name}"
    for name in ("Transformer", "Pooling", "Dense", "Normalize", "LayerNorm", "Dropout")
)
BY_DEFINITION: dict[str, Callable[[Tensor], Tensor]] = {
    "cls": lambda states: states[0],
    "max": lambda states: states.max(dim=0).values,
    "mean": lambda states: states.mean(dim=0),
    "mean_sqrt_len_tokens": lambda states: states.sum(dim=0) / len(states) ** 0.5,
    "weightedmean": lambda states: sum((i + 1) * s for i, s in enumerate(states)) / sum(range(1, len(states) + 1)),
    "lasttoken": lambda states: states[-1],
}
LATER = "sentence_transformers.sentence_transformer.modules.pooling.Pooling"


def told(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def modules(folder: Path, *later: str, first: str = TRANSFORMER, path: str = "", **pooling: Any) -> Path:
    """Write modules.json and the settings of the pooling, which is the first of the later ones."""
    kinds = [(first, path), *((kind, f"{i}_{kind.rpartition('.')[2]}") for i, kind in enumerate(later, 1))]
    told(folder / "modules.json", [{"idx": i, "name": str(i), "path": p, "type": k} for i, (k, p) in enumerate(kinds)])
    told(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": WIDTH, **pooling})
    return folder


def dense(folder: Path, width: int, out: int, seed: int = 0, pickled: bool = False, **more: Any) -> nn.Linear:
    """Write a dense layer, and return it."""
    torch.manual_seed(seed)
    layer = nn.Linear(width, out)
    told(folder / "config.json", {"in_features": width, "out_features": out, "bias": True, **more})
    held = {f"linear.{name}": weight for name, weight in layer.state_dict().items()}
    torch.save(held, folder / "pytorch_model.bin") if pickled else save_file(held, folder / "model.safetensors")
    return layer.requires_grad_(False)


def states_of(model: Model, text: str) -> Tensor:
    """(T, E)."""
    with torch.no_grad():
        return model.network(**model.inputs(model.read(text))).last_hidden_state[0]


def cosine(one: Tensor, other: Tensor) -> float:
    return float(one @ other / (one.norm() * other.norm()))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory, byte_level: Tokenizer) -> Path:
    """A tiny BERT without a head; read only."""
    folder = tmp_path_factory.mktemp("encoder")
    save_model(folder, "bert", AutoModel, byte_level)
    return folder


@pytest.fixture
def folder(encoder: Path, tmp_path: Path) -> Path:
    """The same, to be added to."""
    (tmp_path / "my-encoder").mkdir()
    for file in encoder.iterdir():
        os.link(file, tmp_path / "my-encoder" / file.name)
    return tmp_path / "my-encoder"


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_is_its_definition_whatever_is_padded(mode: str, side: str, tmp_path: Path) -> None:
    pooling = pooling_of("x", modules(tmp_path, LATER, embedding_dimension=5, pooling_mode=mode))
    texts = [torch.randn(length, 5, generator=torch.Generator().manual_seed(length)) for length in (7, 4, 1)]
    states, mask = torch.full((3, 7, 5), 9.0), torch.zeros(3, 7, dtype=torch.long)
    for row, text in enumerate(texts):
        there = slice(0, len(text)) if side == "right" else slice(7 - len(text), 7)
        states[row, there], mask[row, there] = text, 1
    expected = torch.stack([BY_DEFINITION[mode](text) for text in texts])
    torch.testing.assert_close(pooling(states, mask), expected)


@pytest.mark.parametrize("mode", MODES)
def test_flags_of_older_folders_name_the_same_modes(mode: str, tmp_path: Path) -> None:
    flags = {each.flag: name == mode for name, each in MODES.items()}
    assert pooling_of("x", modules(tmp_path, POOLING, **flags)).modes == (mode,)


def test_several_modes_are_joined_in_their_order(tmp_path: Path) -> None:
    told_in_order = pooling_of("x", modules(tmp_path, POOLING, pooling_mode=["lasttoken", "cls"]))
    states = torch.randn(1, 4, 5)
    joined = torch.cat([states[:, -1], states[:, 0]], dim=-1)
    assert told_in_order(states, torch.ones(1, 4)).equal(joined)
    flags = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    assert pooling_of("x", modules(tmp_path, POOLING, **flags)).modes == ("cls", "mean")
    assert pooling_of("x", modules(tmp_path, POOLING)).modes == ("mean",)


@pytest.mark.parametrize("pickled", [False, True])
def test_modules_after_the_pooling_are_computed(pickled: bool, tmp_path: Path) -> None:
    home = modules(tmp_path, POOLING, DENSE, DROPOUT, LAYER_NORM, DENSE, NORMALIZE, pooling_mode="cls")
    one = dense(home / "2_Dense", 5, 3, pickled=pickled, activation_function="torch.nn.modules.activation.GELU")
    norm = {"norm.weight": torch.randn(3), "norm.bias": torch.randn(3)}
    told(home / "4_LayerNorm" / "config.json", {"dimension": 3})
    save_file(norm, home / "4_LayerNorm" / "model.safetensors")
    two = dense(home / "5_Dense", 3, 3, seed=1, activation_function="torch.nn.Tanh", use_residual=True)
    pooling, states = pooling_of("x", home), torch.randn(2, 4, 5)
    active = nn.functional.gelu(one(states[:, 0]))
    inner = nn.functional.layer_norm(active, (3,), norm["norm.weight"], norm["norm.bias"])
    expected = inner + two(inner).tanh()
    torch.testing.assert_close(pooling(states, torch.ones(2, 4)), expected / expected.norm(dim=-1, keepdim=True))
    assert pooling.words == (
        "[CLS] states, through a dense layer (GELU), layer-normalised, through a dense layer (Tanh), normalised"
    )


def test_a_residual_of_another_width_is_projected(tmp_path: Path) -> None:
    home = modules(tmp_path, POOLING, DENSE, pooling_mode="cls")
    layer, projection = dense(home / "2_Dense", 5, 3, use_residual=True), torch.randn(3, 5)
    held = {"linear.weight": layer.weight, "linear.bias": layer.bias, "residual.weight": projection}
    save_file({name: tensor.detach() for name, tensor in held.items()}, home / "2_Dense" / "model.safetensors")
    states = torch.randn(1, 2, 5)
    expected = layer(states[:, 0]).tanh() + states[:, 0] @ projection.T
    torch.testing.assert_close(pooling_of("x", home)(states, torch.ones(1, 2)), expected)


@pytest.mark.parametrize("modes", ["cls", ["max", "weightedmean"]])
def test_what_is_compared_is_pooled_as_its_folder_says(modes: Any, folder: Path) -> None:
    modules(folder, LATER, DENSE, NORMALIZE, pooling_mode=modes)
    names = [modes] if isinstance(modes, str) else modes
    layer = dense(folder / "2_Dense", WIDTH * len(names), 7, activation_function="torch.nn.modules.linear.Identity")
    model = load(str(folder))
    one, other = (
        layer(torch.cat([BY_DEFINITION[mode](states_of(model, text)) for mode in names])) for text in (ONE, OTHER)
    )
    question = ask(model, ONE, text_pair=OTHER)
    assert question.value == question.probability == pytest.approx(cosine(one, other), abs=1e-6)
    assert question.target.words.endswith("states, through a dense layer (Identity), normalised)")


def test_without_modules_it_is_the_mean_and_is_called_so(encoder: Path) -> None:
    question = ask(load(str(encoder)), ONE, text_pair=OTHER)
    one, other = (states_of(question.model, text).mean(dim=0) for text in (ONE, OTHER))
    assert question.value == pytest.approx(cosine(one, other), abs=1e-6)
    assert question.target.words == "similarity of two texts (cosine of mean states)"


def in_a_loop(folder: Path) -> None:
    folder.joinpath("modules.json").write_text("[" * 1_000 + "]" * 1_000)


def of_another_width(folder: Path) -> None:
    dense(folder / "2_Dense", WIDTH, 4)
    told(folder / "2_Dense" / "config.json", {"in_features": WIDTH, "out_features": 5})


def with_a_program(folder: Path) -> None:
    dense(folder / "2_Dense", WIDTH, 4, activation_function="os.system")


def on_tokens(folder: Path) -> None:
    dense(folder / "2_Dense", WIDTH, 4, module_input_name="token_embeddings")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda f: modules(f, "custom_st.MyPooling"), ["custom_st.MyPooling", "does not compute"]),
        (lambda f: modules(f, "sentence_transformers.sparse_encoder.models.SpladePooling"), ["SpladePooling"]),
        (lambda f: modules(f, POOLING, first="sentence_transformers.models.CLIPModel"), ["CLIPModel"]),
        (lambda f: modules(f, NORMALIZE), ["Transformer, Normalize"]),
        (lambda f: modules(f, POOLING, POOLING), ["Transformer, Pooling, Pooling"]),
        (lambda f: modules(f, POOLING, pooling_mode="magic"), ["Pooling", "magic"]),
        (lambda f: modules(f, POOLING, pooling_mode=[]), ["Pooling"]),
        (lambda f: modules(f, POOLING, pooling_mode=[{}]), ["Pooling"]),
        (lambda f: modules(f, POOLING, pooling_mode_magic=True), ["pooling_mode_magic"]),
        (lambda f: told(f / "modules.json", {"a": 1}), ["modules.json"]),
        (lambda f: told(f / "modules.json", []), ["modules.json"]),
        (lambda f: told(f / "modules.json", [{"type": TRANSFORMER, "path": "../x"}]), ["modules.json"]),
        (lambda f: told(f / "modules.json", [{"type": TRANSFORMER, "path": ""}] * 2), ["modules.json"]),
        (in_a_loop, ["modules.json", "nested"]),
        (lambda f: (modules(f, POOLING) / "1_Pooling" / "config.json").unlink(), ["config.json"]),
        (lambda f: modules(f, POOLING, DENSE), ["config.json"]),
        (lambda f: of_another_width(modules(f, POOLING, DENSE)), ["Dense", "weights"]),
        (lambda f: with_a_program(modules(f, POOLING, DENSE)), ["Dense", "os.system"]),
        (lambda f: on_tokens(modules(f, POOLING, DENSE)), ["Dense", "token_embeddings"]),
        (
            lambda f: told(
                modules(f, POOLING) / "sentence_bert_config.json",
                {"modality_config": {"text": {"method": "forward", "method_output_name": "pooler_output"}}},
            ),
            ["pooler_output"],
        ),
    ],
)
def test_what_is_not_known_is_refused_by_its_name(
    spoil: Callable[[Path], Any], words: list[str], tmp_path: Path
) -> None:
    spoil(tmp_path)
    sentence = pooling_of("my-encoder", tmp_path).refused
    assert is_one_sentence(sentence)
    assert sentence.startswith("my-encoder: ")
    assert all(word in sentence for word in words), sentence


def test_a_refused_pooling_leaves_the_rest_of_a_model_open(folder: Path) -> None:
    modules(folder, "custom_st.MyPooling")
    model = load(str(folder))
    assert model.run(ONE).layers("self") == 3
    with refused("custom_st.MyPooling"):
        ask(model, ONE, text_pair=OTHER)


def test_a_dense_layer_for_other_states_is_refused(folder: Path) -> None:
    dense(modules(folder, POOLING, DENSE) / "2_Dense", WIDTH + 1, 4)
    with refused(f"{WIDTH} numbers", f"takes {WIDTH + 1}"):
        ask(load(str(folder)), ONE, text_pair=OTHER)


def test_a_text_is_read_as_its_folder_says(folder: Path) -> None:
    told(modules(folder, POOLING) / "sentence_bert_config.json", {"max_seq_length": 4, "do_lower_case": True})
    told(folder / "config_sentence_transformers.json", {
        "prompts": {"q": "query: "}, "default_prompt_name": "q", "similarity_fn_name": "dot",
    })  # fmt: skip
    model = load(str(folder))
    question = ask(model, ONE.upper(), text_pair=OTHER)
    assert question.tokens.ids == model.encode(ONE).ids[:4]
    assert len(model.encode(ONE)) > 4  # elsewhere the network reads what it can
    assert "query: " in question.notes[0]
    assert "“dot”" in question.notes[1]
    assert "left out" in question.notes[2]


def test_the_default_model_has_the_pooling_of_its_package() -> None:
    pooling = load("all-MiniLM-L6-v2").pooling
    assert (pooling.modes, pooling.most_tokens, pooling.refused) == (("mean",), 256, "")
    assert pooling.words == "mean states, normalised"


def test_what_is_pooled_opens_without_its_head(tmp_path: Path, byte_level: Tokenizer) -> None:
    for kind, auto, name in (
        ("bert", AutoModelForMaskedLM, "BertModel"),
        ("t5", AutoModelForSeq2SeqLM, "T5EncoderModel"),
    ):
        folder = tmp_path / kind
        save_model(folder, kind, auto, byte_level)
        model = load(str(modules(folder, POOLING, pooling_mode="cls")))
        assert type(model.network).__name__ == name
        assert any(name in note and "modules.json" in note for note in model.report.notes)
        one, other = (states_of(model, text)[0] for text in (ONE, OTHER))
        assert ask(model, ONE, text_pair=OTHER).value == pytest.approx(cosine(one, other), abs=1e-6)


@pytest.fixture
def pooled(folder: Path) -> tuple[Path, float]:
    """A folder with a pickled dense layer, and the similarity it has."""
    modules(folder, POOLING, DENSE, NORMALIZE, pooling_mode_cls_token=True)
    dense(folder / "2_Dense", WIDTH, 6, pickled=True, activation_function="torch.nn.modules.activation.Tanh")
    told(folder / "sentence_bert_config.json", {"max_seq_length": 32, "do_lower_case": False})
    return folder, ask(load(str(folder)), ONE, text_pair=OTHER).value


def same(path: Path | str, value: float) -> Model:
    model = load(str(path))
    assert ask(model, ONE, text_pair=OTHER).value == pytest.approx(value, abs=1e-6)
    assert model.pooling.words == "[CLS] states, through a dense layer (Tanh), normalised"
    assert model.pooling.most_tokens == 32
    return model


@pytest.mark.parametrize("layout", ["now", "once"])
def test_an_upload_is_pooled_as_the_folder_that_it_was(
    layout: str, pooled: tuple[Path, float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    folder, value = pooled
    if layout == "once":  # old versions put the network into a folder of its own
        (folder / "0_Transformer").mkdir()
        for file in [file for file in folder.iterdir() if file.is_file() and file.name != "modules.json"]:
            file.rename(folder / "0_Transformer" / file.name)
        modules(folder, POOLING, DENSE, NORMALIZE, path="0_Transformer", pooling_mode_cls_token=True)
        same(folder / "0_Transformer", value)
    (folder / "2_Dense" / "evil.py").write_text("raise SystemExit")
    (candidate,) = found(folder).candidates
    with Intake() as into:
        made = prepare(candidate, Choices(), into)
        assert sorted(path.name for path in (made / "2_Dense").iterdir()) == ["config.json", "model.safetensors"]
        same(made, value)


def test_links_out_of_an_upload_are_not_followed(
    pooled: tuple[Path, float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    folder, _ = pooled
    (folder / "2_Dense").rename(tmp_path / "secret")
    (folder / "2_Dense").symlink_to(tmp_path / "secret")
    (candidate,) = found(folder).candidates
    with Intake() as into:
        assert not (prepare(candidate, Choices(), into) / "2_Dense").exists()


def test_a_file_by_itself_is_pooled_as_its_folder(pooled: tuple[Path, float], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, value = pooled
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(folder.parent / "uploads"))
    same(folder / "model.safetensors", value)


def test_a_downloaded_model_is_pooled_as_the_original(
    pooled: tuple[Path, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, value = pooled
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.safetensors").write_bytes(b"another")
    (folder / "2_Dense" / "evil.py").write_text("raise SystemExit")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with serving(folder) as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.address)
        template = f"{hub.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        made = download(REPO)
    huggingface_hub.close_session()
    fetched = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert {"1_Pooling/config.json", "2_Dense/config.json", "2_Dense/pytorch_model.bin"} < fetched
    assert not fetched & {"2_Dense/evil.py", "onnx/model.safetensors"}
    same(REPO, value)
