"""Folders that want to lead astray: nothing is opened that must not be, and everything becomes a sentence."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.jobs import Cancelled, Job
from core.models.finding import found
from core.models.finding.looking import MOST_FILES
from core.models.finding.walking import DEEPEST, MOST_ENTRIES
from core.models.folders import WEIGHTS
from tests.evil import Evil
from tests.examples import examples
from tests.models.checking_files.good_files import gguf_file, safetensors_file, torch_file
from tests.models.finding.uploads import file, looked, model, only, pickled, told, weights

EXAMPLES = examples(60)
NAMES = (
    "config.json", "adapter_config.json", "training.json", "tokenizer.json", "tokenizer_config.json", "vocab.json",
    "vocab.txt", "merges.txt", "words.txt", "ids.json", "model.safetensors", "model.safetensors.index.json",
    "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "pytorch_model.bin", "a.ckpt", "a.pt",
    "a.gguf", "adapter_model.safetensors", "a.zip", "tokenizer.model", "modules.json",
)  # fmt: skip


def test_pickles_that_would_run_are_refused_and_do_not(tmp_path: Path) -> None:
    made = tmp_path / "made"
    (tmp_path / "in").mkdir()
    for name in ("a.bin", "training_args.bin", "optimizer.pt", "b.pkl"):
        (tmp_path / "in" / name).write_bytes(pickle.dumps(Evil(made)))
    pickled(tmp_path / "in" / "c.pt", {"a": Evil(made)})
    seen = looked(tmp_path / "in")
    assert not made.exists()
    assert {each.path for each in seen.files if each.kind == "refused"} == {"a.bin", "c.pt"}
    assert file(seen, "training_args.bin").sentence == "training_args.bin: a pickle of settings, never opened."
    assert file(seen, "optimizer.pt").sentence == "optimizer.pt: state of an optimiser, left out."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tf_model.h5", "TensorFlow"), ("flax_model.msgpack", "Flax"), ("model.onnx", "ONNX"),
        ("modeling_x.py", "a program, never run"), ("README.md", "a text about the model"),
        ("model.ckpt.data-00000-of-00001", "TensorFlow"), ("rng_state_0.pth", "random numbers"),
        ("scheduler.pt", "left out"), ("what.ever", "nothing that Headlight reads"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_told_by_its_name(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / name).write_bytes(b"\0" * 8)
    assert words in file(looked(tmp_path), name).sentence


def test_links_are_not_followed_out_of_the_folder(tmp_path: Path) -> None:
    folder = model(tmp_path / "in")
    weights(tmp_path / "secret.safetensors")
    (folder / "out.safetensors").symlink_to(tmp_path / "secret.safetensors")
    (folder / "round.bin").symlink_to(folder / "round.bin")
    (folder / "up").symlink_to(tmp_path)
    (folder / "again.safetensors").symlink_to(folder / "model.safetensors")
    (folder / "same").symlink_to(folder)
    seen = looked(folder)
    assert {each.path for each in seen.files if each.kind == "refused"} == {"out.safetensors", "round.bin", "up"}
    assert [candidate.name for candidate in seen.candidates] == ["in", "again"]


def test_below_the_servers_own_roots_links_lead_where_they_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights(tmp_path / "blobs" / "f00")
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "model.safetensors").symlink_to(tmp_path / "blobs" / "f00")
    assert looked(tmp_path / "snapshot").candidates == ()
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path))
    assert only(tmp_path / "snapshot").weights == (tmp_path / "snapshot" / "model.safetensors",)


def test_pipes_and_hidden_files_are_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.safetensors")
    weights(tmp_path / "._model.safetensors")
    weights(tmp_path / "__MACOSX" / "model.safetensors")
    seen = looked(tmp_path)
    assert seen.candidates == ()
    assert "no regular file" in file(seen, "a.safetensors").sentence
    assert "hidden" in file(seen, "._model.safetensors").sentence


def test_folders_are_looked_into_within_bounds(tmp_path: Path) -> None:
    weights(tmp_path.joinpath(*"abcdefgh") / "model.safetensors")
    assert looked(tmp_path).candidates == ()
    weights(tmp_path.joinpath(*"abcdefghi"[: DEEPEST - 1]) / "model.safetensors")
    assert len(looked(tmp_path).candidates) == 1
    for number in range(MOST_ENTRIES):
        (tmp_path / f"{number}.csv").touch()
    seen = looked(tmp_path)
    assert len(seen.files) <= MOST_ENTRIES + 1
    assert "only its first 2,000 files" in file(seen, ".").sentence


def test_not_more_weights_are_read_than_a_model_has(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 1):
        (tmp_path / f"{number:03}.pt").touch()
    assert sum("not looked into" in each.sentence for each in looked(tmp_path).files) == 1


def test_what_a_config_says_is_spelled_out(tmp_path: Path) -> None:
    hostile = "bert\n\u202e<script>" + "x" * 4_096
    told(model(tmp_path) / "config.json", {"model_type": hostile, "architectures": [hostile], "_name_or_path": hostile})
    seen = looked(tmp_path)
    sentences = [file(seen, "config.json").sentence, *(missing.sentence for missing in seen.candidates[0].missing)]
    for sentence in sentences:
        assert sentence.isprintable()
        assert len(sentence) < 400


def test_names_of_files_are_spelled_out(tmp_path: Path) -> None:
    for name in ("a\nb.pt", "\u202exyz.safetensors", "<b>.bin", "n" * 250 + ".txt"):
        (tmp_path / name).touch()
    (tmp_path / os.fsdecode(b"\xff\xfe.pt")).touch()
    seen = looked(tmp_path)
    assert len(seen.files) == 5
    assert all((each.path + each.sentence).isprintable() for each in seen.files)


def test_a_search_can_be_stopped(tmp_path: Path) -> None:
    job = Job("me", "finding")
    job.cancel()
    with pytest.raises(Cancelled):
        found(model(tmp_path), job)


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    model(tmp_path / "a")
    (tmp_path / "b").mkdir(0)
    try:
        assert len(looked(tmp_path).candidates) == 1
    finally:
        (tmp_path / "b").chmod(0o700)


def contents() -> st.SearchStrategy[bytes]:
    words = st.sampled_from(["bert", "LORA", "a", "model-00001-of-00002.safetensors", "\u202e", "x" * 99])
    keys = st.sampled_from(
        ["model_type", "architectures", "auto_map", "weight_map", "base_model_name_or_path", "shipped", "base", "a",
         "tokenizer_class", "_name_or_path", "peft_type"]
    )  # fmt: skip
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | words,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=8,
    )
    return st.one_of(st.binary(max_size=60), values.map(as_json), st.sampled_from(["good"]).map(str.encode))


def as_json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode("utf-8", "surrogatepass")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(upload=st.dictionaries(st.sampled_from(NAMES), contents(), max_size=8), below=st.booleans())
def test_any_bytes_under_any_known_name_become_sentences(
    tmp_path_factory: pytest.TempPathFactory, upload: dict[str, bytes], below: bool
) -> None:
    folder = tmp_path_factory.mktemp("any")
    inner = folder / "inner" if below else folder
    inner.mkdir(exist_ok=True)
    for name, content in upload.items():
        if content != b"good" or not good(inner / name):
            (inner / name).write_bytes(content)
    seen = looked(folder)
    assert {each.path.rpartition("/")[2] for each in seen.files} == set(upload)
    assert all(each.sentence.isprintable() for each in seen.files)


def good(path: Path) -> bool:
    """A sound file of that name's kind, where there is one."""
    write = {".safetensors": safetensors_file, ".gguf": gguf_file}.get(path.suffix)
    write = write or (torch_file if path.suffix in WEIGHTS else None)
    return write is not None and bool(write(path))
