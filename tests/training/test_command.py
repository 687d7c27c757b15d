"""The command line: every recipe in miniature, its words for what is wrong, and a run that is killed and resumed."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers.utils import logging

from core import load
from core.training.__main__ import main
from core.training.progress import clock
from core.training.recipes import RECIPES
from tests.training.event_files import scalars
from tests.training.small import longest_file

WORDS = ["red", "blue", "old", "new", "small", "big", "cat", "dog", "bird", "fish"]
SMALL = ["batch_size=8", "width=16", "evaluate_every=2"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Sentences of two words, and their letters in reverse; one bad line."""
    texts = [f"{first} {second} {number}" for number in range(2) for first in WORDS for second in WORDS]
    file = tmp_path / "pairs.tsv"
    file.write_text("no tab here\n" + "".join(f"{text}.\t{text[::-1]}.\n" for text in texts), encoding="utf-8")
    return file


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Texts that are good where they hold "nice" and bad where they hold "awful"."""
    draw = random.Random(0)
    rows = []
    for number in range(300):
        label, word = draw.choice([("good", "nice"), ("bad", "awful")])
        rows.append(f"{label}\t{draw.choice(WORDS)} {word} {draw.choice(WORDS)} {number}\n")
    file = tmp_path / "labelled.tsv"
    file.write_text("".join(rows), encoding="utf-8")
    return file


def told(folder: Path) -> dict:
    return json.loads((folder / "training.json").read_text(encoding="utf-8"))


def test_a_toy_recipe_needs_no_data_and_its_model_opens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["copy", "--out", str(out), "--set", *SMALL, "steps=4", "architecture=general"]) == 0
    said = capsys.readouterr().out
    assert "step 4 of 4, loss" in said
    assert "0:00 left" in said
    assert list((out / "logs").glob("events.out.tfevents.*"))
    assert told(out)["scores"]["steps"] == 4
    last = said.splitlines()[-2]
    assert "gold alignment accuracy 0" in last
    assert "alignment error rate " in last
    assert load(str(out)).run("abc", target="abc").attention(layer=0, stream="cross").shape == (1, 4, 4)


@pytest.mark.parametrize("architecture", ["additive", "transformer"])
def test_translation_names_bad_lines_and_scores_itself(
    architecture: str, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    values = [*SMALL, f"architecture={architecture}", "layers=1", "heads=2", "steps=3", "vocabulary=300"]
    values += ["development=0.2", "test=0.2", "longest=16"]
    assert main(["translation", "--data", str(pairs), "--out", str(out), "--set", *values]) == 0
    said = capsys.readouterr().out
    assert "pairs.tsv, line 1: no tab between source and target; skipped" in said
    scores = told(out)["scores"]
    assert f"{scores['test sentences']} of {scores['test sentences']} test sentences translated" in said
    for case in ("both lower-cased", "case as it is"):
        assert 0 <= scores[f"BLEU, first reference, {case}"] <= 100
        assert 0 <= scores[f"chrF, first reference, {case}"] <= 100
    assert load(str(out)).run("red cat 3.").streams


@pytest.mark.parametrize("encoder", ["bilstm", "average", "transformer"])
def test_sentiment_learns_which_words_are_kind(encoder: str, labelled: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    values = ["batch_size=16", "width=16", "embedding=16", "heads=2", "layers=1", f"encoder={encoder}", "steps=60"]
    values += ["learning_rate=0.02", "evaluate_every=60", "vocabulary=100"]
    assert main(["sentiment", "--data", str(labelled), "--out", str(out), "--set", *values]) == 0
    assert told(out)["scores"]["accuracy"] > 0.9
    assert load(str(out)).run("cat nice dog 5").output.likeliest[0][0] == "good"


def test_a_language_model_reads_lines_or_blocks(pairs: Path, tmp_path: Path) -> None:
    values = [*SMALL, "steps=2", "layers=1", "heads=2", "vocabulary=60", "development=0.2"]
    for name, length in (("lines", 0), ("blocks", 12)):
        out = tmp_path / name
        start = ["language-model", "--data", str(pairs), "--out", str(out)]
        assert main([*start, "--set", *values, f"length={length}"]) == 0
        assert told(out)["scores"]["development loss"] > 0
        assert list(told(out)["tables"]["Development loss by position"])[:2] == ["1", "2–4"]
        assert len(told(out)["tables"]) == (4 if length else 1)
        assert "## Development loss by position\n\n| name | score |" in (out / "README.md").read_text(encoding="utf-8")
    labels = load(str(out)).run("red", generate=2).tokens.labels
    assert labels[0] == "<s>"
    assert len(labels) >= 4


def test_killed_and_resumed_is_as_never_killed(tmp_path: Path) -> None:
    values = ["--set", *SMALL, "steps=16", "evaluate_every=4", "dropout=0.2", "heads=2"]
    values += ["architecture=transformer"]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["sort", "--out", str(whole), *values]) == 0
    command = [sys.executable, "-m", "core.training", "sort", "--out", str(parts), *values]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not list((parts / "checkpoints").glob("step-*.pt")):
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    newest = max((parts / "checkpoints").glob("step-*.pt")).stem
    logged = [step for step, _ in scalars(parts / "logs")["loss/training"]]
    assert logged[: int(newest[5:])] == list(range(1, int(newest[5:]) + 1))
    assert main(["sort", "--out", str(parts), *values, "--resume"]) == 0
    one, other = load_file(whole / "model.safetensors"), load_file(parts / "model.safetensors")
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert told(whole)["scores"] == told(parts)["scores"]
    assert told(whole)["history"] == told(parts)["history"]


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = ["copy", "--out", str(tmp_path), "--set", *SMALL, "steps=2"]
    assert main(start) == 0
    assert main(start) == 1
    assert "add --resume" in capsys.readouterr().err
    assert main([*start, "width=32", "--resume"]) == 1
    assert "width = 16" in capsys.readouterr().err
    plan = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    # An older plan tells nothing of an option that came later, which was then as it is by default.
    del plan["values"]["dropping"]
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    assert main([*start, "dropping=texts", "--resume"]) == 1
    assert "dropping = even" in capsys.readouterr().err
    assert main([*start, "--resume"]) == 0
    assert main(["sort", *start[1:], "--resume"]) == 1
    assert "a run of copy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["translation"], "translation needs --data"),
        (["translation", "--data", "absent.tsv"], "There is no file absent.tsv: check --data."),
        (["sentiment", "--data", "absent"], "There is no file absent: check --data."),
        (["copy", "--device", "abacus"], "The device abacus is not here"),
        (["sentiment", "--data", __file__, "--set", "encoder=rnn"], "one of bilstm, cnn, average, mlp, transformer."),
        (["copy", "--set", "depth=2"], "--set depth is unknown"),
        (["copy", "--set", "architecture=rnn"], "architecture is “rnn”: choose one of none"),
        (["fine-tune", "--data", __file__, "--set", "base=absent"], "absent is neither in the catalogue nor a folder"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 1
    assert sentence in capsys.readouterr().err


def test_an_out_that_can_be_no_folder_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "logs").write_text("a file", encoding="utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "begun"):
        assert main(["copy", "--out", str(out)]) == 1
        assert re.fullmatch(
            r".*(file|logs).* cannot be written to \(.+\): choose another --out\.\n", capsys.readouterr().err
        )
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


def test_a_disk_that_is_full_from_the_start_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with longest_file(10):
        assert main(["copy", "--out", str(tmp_path / "out")]) == 1
    assert re.fullmatch(r"plan\.json could not .* disk of .* is full; .*\.\n", capsys.readouterr().err)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_run_goes_on_only_with_the_data_that_it_began_with(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = [*SMALL, "layers=1", "heads=2", "steps=2", "vocabulary=300", "development=0.2", "test=0", "longest=16"]
    start = ["translation", "--data", str(pairs), "--out", str(tmp_path / "out"), "--set", *values]
    assert main(start) == 0
    moved = pairs.rename(tmp_path / "moved.tsv")
    start[2] = str(moved)
    assert main([*start, "steps=3", "--resume"]) == 0
    moved.write_bytes(moved.read_bytes() + b"one\tmore\n")
    capsys.readouterr()
    assert main([*start, "steps=4", "--resume"]) == 1
    assert "began with other data: give --data as it was then" in capsys.readouterr().err


def test_transformers_draws_no_bars_and_draws_them_again_afterwards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["copy", "--out", str(tmp_path / "out"), "--set", *SMALL, "steps=1"]) == 0
    assert capsys.readouterr().err == ""
    assert logging.is_progress_bar_enabled()


def test_a_card_lists_only_what_the_network_has(labelled: Path, tmp_path: Path) -> None:
    values = ["width=16", "embedding=16", "heads=2", "layers=1", "steps=1", "vocabulary=100"]
    for encoder, absent, present in (("transformer", "embedding", "heads"), ("average", "heads", "embedding")):
        out = tmp_path / encoder
        assert (
            main(["sentiment", "--data", str(labelled), "--out", str(out), "--set", *values, f"encoder={encoder}"]) == 0
        )
        card = (out / "README.md").read_text(encoding="utf-8")
        assert f"\n| {absent} |" not in card
        assert f"\n| {present} |" in card


def test_help_names_every_recipe_and_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert all(f"{name}: " in said for name in RECIPES)
    assert "word_dropout=" in said


def test_time_is_told_in_minutes_and_hours() -> None:
    assert (clock(65), clock(3725.4)) == ("1:05", "1:02:05")
