"""Shipping: a small training of each kind becomes a 16-bit model with a card that tells all that was measured."""

import json
import shlex
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core import load
from core.training.__main__ import main as train
from core.training.card import card_of
from core.training.evaluation.translation import AS_IT_IS, LOWER_CASED
from core.training.recipes.translation import TranslationData, parted
from core.training.shipping.__main__ import main as ship
from core.training.shipping.trained import retraining, told_by
from core.training.shipping.translation import SHORT, held_out_of, left_out
from core.training.vocabulary import piece_tokenizer

WORDS = ["red", "blue", "old", "new", "small", "big", "cat", "dog", "bird", "fish"]
SMALL = ["batch_size=8", "width=16", "layers=1", "heads=2", "steps=2", "evaluate_every=2", "vocabulary=120"]
HELD_OUT = ["development=0.2", "test=0.2"]
SHIPPED_FILES = {
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "README.md",
    "training.json",
}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two words and their letters in reverse, and some sentences that are too long to be trained on."""
    texts = [f"{first} {second}." for first in WORDS for second in WORDS]
    texts += [" ".join([first] * 20) for first in WORDS]
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    file.write_text("".join(f"{text}\t{text[::-1]}\n" for text in texts), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("gold") / "gold.tsv"
    file.write_text("red cat .\tder tac .\t0-0 1-1 2p2\nold dog\tgod dlo\t0-1 1-0\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def shipped(pairs: Path, gold: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A network with attention and one without, trained for two steps and shipped: trained and shipped folders."""
    place, folders = tmp_path_factory.mktemp("runs"), {}
    for name, architecture in (("en-fr-transformer", "transformer"), ("en-fr-gru", "none")):
        trained = place / "trained" / name
        values = [*SMALL, *HELD_OUT, f"architecture={architecture}", "longest=16"]
        assert train(["translation", "--data", str(pairs), "--out", str(trained), "--set", *values]) == 0
        command = [name, "--from", str(trained), "--data", str(pairs), "--gold", str(gold), "--out", str(place / "w")]
        assert ship(command) == 0
        folders |= {name: place / "w" / name, f"trained {name}": trained}
    return folders


@pytest.mark.parametrize("name", ["en-fr-transformer", "en-fr-gru"])
def test_it_opens_with_the_trained_weights_in_16_bits(shipped: dict[str, Path], name: str) -> None:
    assert {file.name for file in shipped[name].iterdir()} - {"generation_config.json"} == SHIPPED_FILES
    assert not list(shipped[name].parent.glob(".*"))
    written, trained = (load_file(shipped[key] / "model.safetensors") for key in (name, f"trained {name}"))
    assert {tensor.dtype for tensor in written.values()} == {torch.float16}
    assert written.keys() == trained.keys()
    opened = load(str(shipped[name])).network
    assert {value.dtype for value in opened.parameters()} == {torch.float32}
    state = opened.state_dict()
    assert all(torch.equal(state[key], tensor.half().float()) for key, tensor in trained.items())


def test_the_card_tells_quality_and_alignment(shipped: dict[str, Path]) -> None:
    told = told_by(shipped["en-fr-transformer"])
    assert told["shipped"]["group"] == "translation"
    assert told["shipped"]["rank"] == 0
    low, *_, long = told["quality"]
    assert low["words"] == [1, 4]
    assert long["words"] == [17, 20]
    for case, signed in ((LOWER_CASED, "case:lc"), (AS_IT_IS, "case:mixed")):
        assert all(f"{part} BLEU, first reference, {case}" in told["scores"] for part in ("test", "development"))
        assert signed in told["scores"][f"BLEU signature, first reference, {case}"]
    aligned = told["alignment"]
    assert aligned["pairs"] == 2
    assert aligned["best"]["error"] <= aligned["attention"]["error"]
    assert {"layer", "head", "reads"} <= set(aligned["best"])
    assert all(
        0 <= aligned[by][share] <= 1 for by in ("attention", "diagonal", "ibm1") for share in ("recall", "error")
    )
    assert told_by(shipped["en-fr-gru"])["alignment"] is None


def test_the_readme_has_what_a_card_must_have(shipped: dict[str, Path]) -> None:
    card = (shipped["en-fr-transformer"] / "README.md").read_text(encoding="utf-8")
    by_length = f"BLEU by source length, {LOWER_CASED}"
    for heading in ("Data", "Scores", by_length, "Examples", "Recipe", "Training it again", "Limits"):
        assert f"## {heading}\n" in card
    assert "CC BY 2.0 FR" in card
    assert "| seed | 0 |" in card
    assert card == card_of(told_by(shipped["en-fr-transformer"])).markdown()


def test_the_command_of_the_card_trains_the_same_model(shipped: dict[str, Path], tmp_path: Path) -> None:
    command = shlex.split(told_by(shipped["en-fr-gru"])["shipped"]["command"])
    assert command[:3] == ["python", "-m", "core.training"]
    arguments = [str(tmp_path) if argument == "out/en-fr-gru" else argument for argument in command[3:]]
    assert train(arguments) == 0
    again, before = (load_file(place / "model.safetensors") for place in (tmp_path, shipped["trained en-fr-gru"]))
    assert all(torch.equal(again[name], before[name]) for name in before)


def test_the_command_names_only_what_is_not_usual() -> None:
    recipe = {"task": "translation", "options": {"seed": 0, "steps": 7, "warmup": 800}, "data": {"vocabulary": 4000}}
    assert retraining(recipe, "my data.tsv", "out/x") == (
        "python -m core.training translation --data 'my data.tsv' --out out/x --set seed=0 steps=7"
    )


def test_sentences_are_parted_as_the_training_parted_them(shipped: dict[str, Path], pairs: Path) -> None:
    recipe = told_by(shipped["trained en-fr-gru"])["recipe"]
    held = held_out_of(recipe, pairs, lambda line: None)
    values = TranslationData(**recipe["data"])
    assert (held.training, held.development, held.test) == parted(pairs, values, lambda line: None)
    trained = {source for source, _ in held.training}
    assert not trained & {source for source, _ in held.development + held.test}
    long = left_out(piece_tokenizer((text for pair in held.training for text in pair), 120), held)
    assert long
    assert all(len(source.split()) > SHORT and source in trained for source in long)


def test_a_classifier_is_scored_on_test_and_development(tmp_path: Path) -> None:
    data, trained = tmp_path / "data.tsv", tmp_path / "trained"
    rows = [
        f"{'good' if n % 2 else 'bad'}\tthe {WORDS[n % 10]} is {'nice' if n % 2 else 'awful'} {n}\n" for n in range(200)
    ]
    data.write_text("".join(rows), encoding="utf-8")
    values = ["batch_size=8", "width=8", "embedding=8", "steps=2", "evaluate_every=2", "vocabulary=60"]
    assert train(["sentiment", "--data", str(data), "--out", str(trained), "--set", *values]) == 0
    command = ["sentiment-bilstm-additive-0", "--from", str(trained), "--data", str(data), "--out", str(tmp_path / "w")]
    assert ship(command) == 0
    told = told_by(tmp_path / "w" / "sentiment-bilstm-additive-0")
    assert set(told["scores"]) >= {"accuracy", "F1", "AUC", "development accuracy", "development texts"}
    assert told["shipped"]["licence"].endswith("CC BY 4.0")


def test_a_language_model_is_scored_on_its_development_texts(pairs: Path, tmp_path: Path) -> None:
    trained = tmp_path / "trained"
    values = [*SMALL, "development=0.2", "length=12"]
    assert train(["language-model", "--data", str(pairs), "--out", str(trained), "--set", *values]) == 0
    assert ship(["lm-rotary", "--from", str(trained), "--data", str(pairs), "--out", str(tmp_path / "w")]) == 0
    before, after = told_by(trained), told_by(tmp_path / "w" / "lm-rotary")
    assert after["scores"]["development loss"] == pytest.approx(before["scores"]["development loss"], rel=1e-3)
    assert after["tables"].keys() == before["tables"].keys()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody", "--from", ".", "--data", "."], "nobody is none of the shipped models: choose one of en-fr-"),
        (["en-fr-gru", "--from", ".", "--data", "."], "has no training.json of a finished training"),
        (["--spread", "sentiment-bilstm-additive"], "sentiment-bilstm-additive-0, sentiment-bilstm-additive-1"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ship([*arguments, "--out", str(tmp_path)]) == 1
    assert sentence in capsys.readouterr().err


def test_training_json_is_json_that_any_program_reads(shipped: dict[str, Path]) -> None:
    text = (shipped["en-fr-transformer"] / "training.json").read_text(encoding="utf-8")
    assert json.loads(text, parse_constant=lambda name: pytest.fail(name))["title"]
