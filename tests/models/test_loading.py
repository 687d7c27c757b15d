import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PreTrainedModel,
)

from core import load
from core.jobs import Cancelled, Job, Progress
from core.models.loading import load as load_with_job
from tests.evil import Evil
from tests.sentences import refused
from tests.tiny import WIDTH, save_model


@pytest.fixture
def folder(gpt2_folder: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return shutil.copytree(gpt2_folder, tmp_path / "model")


def configure(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_folder_opens_under_its_own_name_without_its_path(gpt2_folder: Path) -> None:
    model = load(str(gpt2_folder))
    assert model.name == gpt2_folder.name
    assert model.card.family == "gpt2"
    assert model.report.reinitialised == ()


def test_the_revision_names_the_weights_not_the_folder(folder: Path, gpt2_folder: Path) -> None:
    original, copy = load(str(gpt2_folder)).revision, load(str(folder)).revision
    assert original == copy
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wte.weight"][0, 0] += 1
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert load(str(folder)).revision != original


def test_a_loaded_network_is_ready_to_be_read(gpt2_folder: Path) -> None:
    network = load(str(gpt2_folder)).network
    assert not network.training
    assert not any(weight.requires_grad for weight in network.parameters())


def test_loading_tells_its_three_steps_and_can_be_stopped(gpt2_folder: Path) -> None:
    told: list[Progress] = []
    load_with_job(str(gpt2_folder), job=Job("ann", "Open", told.append))
    assert [(p.done, p.total) for p in told] == [(0, 3), (1, 3), (2, 3)]
    stopped = Job("ann", "Open", lambda progress: stopped.cancel())
    with pytest.raises(Cancelled):
        load_with_job(str(gpt2_folder), job=stopped)


@pytest.mark.parametrize("name", ["no such model", "/nowhere/at/all", "../..", "a//b", "a/b@c..d", ""])
def test_what_is_no_name_at_all_is_refused(name: str) -> None:
    with refused("neither in the catalogue, nor a folder with a config.json, nor a name on the hub"):
        load(name)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "\ud800", "~nobody-here/x"])
def test_what_no_path_can_be_is_refused(name: str) -> None:
    with refused("check"):
        load(name)


@pytest.mark.parametrize("name", ["no-such-model-here", "no-such-owner/name", "no-such-owner/name@v1"])
def test_a_model_of_the_hub_that_is_not_here_is_refused_with_the_remedy(name: str) -> None:
    with refused(name, "download it first"):
        load(name)


def test_a_folder_without_config_is_refused(folder: Path) -> None:
    (folder / "config.json").unlink()
    with refused("nor a folder with a config.json"):
        load(str(folder))


def test_a_weight_file_opens_by_its_path_with_what_lies_beside_it(folder: Path, gpt2_folder: Path) -> None:
    path = (folder / "model.safetensors").rename(folder / "mine.safetensors")
    model, expected = load(str(path)), load(str(gpt2_folder))
    assert model.name == "mine"
    assert torch.equal(model.run("the cat sat").attention(2), expected.run("the cat sat").attention(2))


def test_a_file_is_no_folder(folder: Path) -> None:
    with refused("nor a folder"):
        load(str(folder / "config.json"))


@pytest.mark.parametrize("content", [b"", b"{nope", b"[1, 2]", b"{}", b"\xff\xfe\x00", b'{"model_type": "odd"}'])
def test_a_config_that_names_no_known_architecture_is_refused(folder: Path, content: bytes) -> None:
    (folder / "config.json").write_bytes(content)
    with refused("config.json"):
        load(str(folder))


@pytest.mark.parametrize(
    "architectures", [["NoSuchModel"], ["pipeline"], ["AutoModel"], ["PreTrainedModel"], "GPT2Model", [3]]
)
def test_an_architecture_that_is_no_model_class_is_refused(folder: Path, architectures: Any) -> None:
    configure(folder, architectures=architectures)
    with refused("architecture"):
        load(str(folder))


@pytest.mark.parametrize(
    "changes",
    [
        {"architectures": ["LlamaForCausalLM"]},
        {"n_embd": 2 * WIDTH},
        {"n_embd": -3},
        {"n_embd": 2**40},
        {"n_embd": "many"},
        {"n_head": 5},
        {"n_layer": 10**9},
        {"num_labels": 10**12},
        {"activation_function": "no such function"},
    ],
)
def test_a_config_that_is_not_that_of_the_weights_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    configure(folder, **changes)
    with refused("config.json"):
        load(str(folder))


@pytest.mark.parametrize(
    ("kind", "auto", "expected"),
    [
        ("bert", AutoModelForSequenceClassification, "BertForSequenceClassification"),
        ("bert", AutoModelForMaskedLM, "BertForMaskedLM"),
        ("bert", AutoModel, "BertModel"),
        ("llama", AutoModelForCausalLM, "LlamaForCausalLM"),
        ("t5", AutoModelForSeq2SeqLM, "T5ForConditionalGeneration"),
    ],
)
def test_a_config_without_a_class_is_opened_as_its_tensors_tell(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, auto: Any, expected: str
) -> None:
    save_model(tmp_path, kind, auto, byte_level, tie_word_embeddings=False)
    configure(tmp_path, architectures=None)
    report = load(str(tmp_path)).report
    assert report.architecture == expected
    assert report.random_body == ()
    (note,) = report.notes
    assert note.startswith("Its config names no class")
    assert expected in note


def test_weights_of_other_shapes_open_only_for_whoever_insists(folder: Path) -> None:
    configure(folder, n_inner=48)
    with refused("config.json", "says (48,) for transformer.h.0.mlp.c_fc.bias", "have (128,)", "insist"):
        load(str(folder))
    report = load(str(folder), insist=True).report
    assert "transformer.h.0.mlp.c_fc.weight" in report.mismatched
    assert report.remark


def test_a_head_of_another_shape_is_random_and_said(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "bert", AutoModelForSequenceClassification, byte_level, num_labels=5)
    configure(tmp_path, id2label={"0": "a", "1": "b"}, label2id={"a": 0, "b": 1})
    report = load(str(tmp_path)).report
    assert report.mismatched == ("classifier.bias", "classifier.weight")
    assert report.random_body == ()
    assert any("set num_labels" in line.remedy for line in report.lines())


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"quant_method": "gptq", "bits": 4}, ("gptq", "needs")),
        ({"quant_method": "odd"}, ("quantised by odd", "not read")),
    ],
)
def test_a_checkpoint_quantised_in_a_way_that_is_not_read_here_says_so(
    folder: Path, told: dict[str, Any], words: tuple[str, ...]
) -> None:
    configure(folder, quantization_config=told)
    with refused(*words):
        load(str(folder))


@pytest.mark.parametrize("rounding", ["int8", "int4"])
def test_weights_are_rounded_after_loading_and_all_that_is_shown_says_so(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, rounding: str
) -> None:
    pytest.importorskip("torchao", reason="torchao is not installed here")
    save_model(tmp_path, "llama", AutoModelForCausalLM, byte_level)
    whole, rounded = load(str(tmp_path), device="cpu"), load(str(tmp_path), device="cpu", dtype=rounding)
    assert rounded.report.quantised == rounding
    assert rounded.report.nbytes < whole.report.nbytes
    assert rounded.report.parameters == whole.report.parameters
    mine, expected = rounded.run("the cat sat"), whole.run("the cat sat")
    assert mine.provenance.dtype == rounding
    assert mine.provenance.checks[0].passed
    assert 0 < (mine.attention(2) - expected.attention(2)).abs().max() < (0.1 if rounding == "int8" else 0.9)
    assert any(f"rounded to {rounding}" in line.sentence and line.remedy for line in rounded.report.lines())


def test_rounding_needs_one_device(folder: Path) -> None:
    with refused("choose one device"):
        load_with_job(str(folder), device="auto", dtype="int8")


def test_the_base_class_of_all_models_is_not_even_tried(folder: Path) -> None:
    configure(folder, architectures=["PreTrainedModel"])
    with refused("PreTrainedModel"):
        load(str(folder))
    # The library would keep there, and find for all classes, what only holds for a class of its own.
    assert not [name for name in vars(PreTrainedModel) if name.endswith("_cached_value")]


def test_remote_code_that_a_config_names_is_not_run(folder: Path) -> None:
    configure(folder, auto_map={"AutoModelForCausalLM": "evil.Model", "AutoConfig": "evil.Config"})
    (folder / "evil.py").write_text("raise SystemExit('this ran')")
    assert load(str(folder)).card.family == "gpt2"


@pytest.mark.parametrize(
    "changes", [{"model_type": "evil"}, {"architectures": ["EvilModel"]}], ids=["unknown family", "unknown class"]
)
def test_a_model_that_needs_its_own_code_is_refused_and_told_why(folder: Path, changes: dict[str, Any]) -> None:
    configure(folder, auto_map={"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}, **changes)
    (folder / "evil.py").write_text("raise SystemExit('this ran')")
    with refused("never run"):
        load(str(folder))


def test_a_config_leads_to_no_other_weights(folder: Path, gpt2_folder: Path) -> None:
    save_file({"odd": torch.zeros(1)}, folder / "other.safetensors", metadata={"format": "pt"})
    configure(folder, transformers_weights="other.safetensors")
    assert load(str(folder)).report.loaded == load(str(gpt2_folder)).report.loaded


@pytest.mark.parametrize(
    "changes",
    [
        {"return_dict": False},
        {"output_attentions": True},
        {"output_hidden_states": True},
        {"use_cache": True},
        {"attn_implementation": "eager"},
        {"dtype": "float16"},
        {"attn_pdrop": 0.5},
    ],
)
def test_settings_of_a_config_do_not_change_how_a_model_is_read(
    folder: Path, gpt2_folder: Path, changes: dict[str, Any]
) -> None:
    configure(folder, **changes)
    mine, expected = (load(str(path)).run("the cat sat") for path in (folder, gpt2_folder))
    assert mine.provenance.dtype == "float32"
    assert torch.equal(mine.output.values, expected.output.values)
    assert torch.equal(mine.attention(2), expected.attention(2))


_SMALL = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4, intermediate_size=WIDTH)


@pytest.mark.parametrize(
    ("kind", "sizes", "way"),
    [
        ("bert", _SMALL, "wrapped"),
        ("bloom", dict(hidden_size=WIDTH, n_layer=2, n_head=4), "watching torch"),
        ("deberta-v2", _SMALL, "watching torch"),
        ("gemma2", dict(_SMALL, num_key_value_heads=2, head_dim=8), "blocks of rows"),
        ("falcon", dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4), "watching torch"),
    ],
)
def test_the_report_says_how_attention_is_read(
    tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str, sizes: dict[str, Any], way: str
) -> None:
    save_model(tmp_path, kind, AutoModel, byte_level, **sizes)
    assert way in load(str(tmp_path)).report.probe


@pytest.mark.parametrize("kind", ["t5", "bart", "marian"])
def test_an_encoder_decoder_opens(tmp_path: Path, byte_level: tokenizers.Tokenizer, kind: str) -> None:
    save_model(tmp_path, kind, AutoModelForSeq2SeqLM, byte_level)
    assert load(str(tmp_path)).card.streams == ("encoder", "decoder", "cross")


def test_a_family_without_attention_is_refused(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "mamba", AutoModel, byte_level, hidden_size=WIDTH, num_hidden_layers=2)
    with refused("mamba", "no attention", "choose another model"):
        load(str(tmp_path))


def test_a_model_that_reads_no_text_is_refused(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    sizes = dict(_SMALL, image_size=8, patch_size=4)
    save_model(tmp_path, "vit", AutoModel, byte_level, **sizes)
    with refused("it reads images, and no text alone"):
        load(str(tmp_path))


def pickle_weights(folder: Path, **more: Any) -> Path:
    path = folder / "pytorch_model.bin"
    torch.save(load_file(folder / "model.safetensors") | more, path)
    (folder / "model.safetensors").unlink()
    return path


def test_pickled_weights_open_and_are_told_of(folder: Path, gpt2_folder: Path) -> None:
    pickle_weights(folder)
    model = load(str(folder))
    assert model.report.pickled
    mine, expected = (m.run("the cat sat").attention(2) for m in (model, load(str(gpt2_folder))))
    assert torch.equal(mine, expected)


@pytest.mark.parametrize("kind", [True, False], ids=["zip", "old format"])
def test_a_pickle_that_would_run_is_refused_and_runs_nothing(folder: Path, tmp_path: Path, kind: bool) -> None:
    trace = tmp_path / "it-ran"
    path = folder / "pytorch_model.bin"
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(weights | {"evil": Evil(trace)}, path, _use_new_zipfile_serialization=kind)
    with refused("pytorch_model.bin", "not opened", "save_pretrained"):
        load(str(folder))
    assert not trace.exists()
    torch.load(path, weights_only=False)
    assert trace.exists()  # it would have run


def test_an_old_pickle_that_never_ends_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tuple in a tuple, sixty times twice: as the key of a dict it takes 2^60 steps to hash."""
    path = folder / "pytorch_model.bin"
    torch.save({"a": torch.zeros(1)}, path, _use_new_zipfile_serialization=False)
    begun = path.read_bytes()
    nested = b"".join(b"h" + bytes([i]) + b"\x86q" + bytes([i + 1]) for i in range(60))
    bomb = b"\x80\x02}K\x00q\x00" + nested + b"N" + b"s."
    at = begun.index(b"\x80\x02}", begun.index(b"little_endian"))
    path.write_bytes(begun[:at] + bomb)
    (folder / "model.safetensors").unlink()
    monkeypatch.setattr("core.models.opening.weights.OLD_SECONDS", 1.0)
    with refused("pytorch_model.bin", "took longer than 1 second"):
        load(str(folder))


def test_safetensors_are_read_where_there_are_both(folder: Path, tmp_path: Path) -> None:
    torch.save({"evil": Evil(tmp_path / "it-ran")}, folder / "pytorch_model.bin")
    assert not load(str(folder)).report.pickled


def shard(folder: Path, suffix: str) -> None:
    """Spread the weights of a folder over three files with an index."""
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    stem = "model" if suffix == "safetensors" else "pytorch_model"
    places = {}
    for number in range(3):
        part = {name: weight for i, (name, weight) in enumerate(sorted(weights.items())) if i % 3 == number}
        file = f"{stem}-{number + 1:05}-of-00003.{suffix}"
        if suffix == "safetensors":
            save_file(part, folder / file, metadata={"format": "pt"})
        else:
            torch.save(part, folder / file)
        places |= dict.fromkeys(part, file)
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / f"{stem}.{suffix}.index.json").write_text(json.dumps(index))


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
def test_weights_in_several_files_open(folder: Path, gpt2_folder: Path, suffix: str) -> None:
    shard(folder, suffix)
    model = load(str(folder))
    expected = load(str(gpt2_folder))
    assert model.report.reinitialised == ()
    assert model.report.loaded == expected.report.loaded
    assert torch.equal(model.run("the cat sat").attention(2), expected.run("the cat sat").attention(2))


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
def test_weights_in_several_files_that_no_index_names_open(folder: Path, gpt2_folder: Path, suffix: str) -> None:
    shard(folder, suffix)
    next(folder.glob("*.index.json")).unlink()
    model, expected = load(str(folder)), load(str(gpt2_folder))
    assert model.report.reinitialised == ()
    assert model.report.pickled == (suffix == "bin")
    assert torch.equal(model.run("the cat sat").attention(2), expected.run("the cat sat").attention(2))


def test_files_without_index_must_all_be_there_and_be_of_one_model(folder: Path) -> None:
    shard(folder, "safetensors")
    next(folder.glob("*.index.json")).unlink()
    lost = folder / "model-00002-of-00003.safetensors"
    content = lost.read_bytes()
    lost.unlink()
    with refused(lost.name, "missing"):
        load(str(folder))
    (folder / "model-00002-of-00004.safetensors").write_bytes(content)
    with refused("those of two models"):
        load(str(folder))


def test_a_tensor_that_two_files_without_index_hold_is_named(folder: Path) -> None:
    shard(folder, "safetensors")
    next(folder.glob("*.index.json")).unlink()
    shutil.copy(folder / "model-00001-of-00003.safetensors", folder / "model-00002-of-00003.safetensors")
    with refused("two of its files hold the tensor"):
        load(str(folder))


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
def test_a_missing_file_of_several_is_named(folder: Path, suffix: str) -> None:
    shard(folder, suffix)
    (lost,) = folder.glob(f"*-00002-of-00003.{suffix}")
    lost.unlink()
    with refused(lost.name, "missing"):
        load(str(folder))


@pytest.mark.parametrize("content", ["", "[]", '{"weight_map": 3}', '{"weight_map": {"a": "../../x.safetensors"}}'])
def test_a_damaged_index_is_refused(folder: Path, content: str) -> None:
    shard(folder, "safetensors")
    (folder / "model.safetensors.index.json").write_text(content)
    with refused("model.safetensors.index.json is damaged"):
        load(str(folder))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"garbage" * 100,
        lambda content: content[:-1000],
        lambda content: content[: len(content) // 2],
        lambda content: b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    ],
    ids=["empty", "garbage", "end cut", "half", "lfs pointer"],
)
def test_damaged_weights_are_refused(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with refused("weights are damaged"):
        load(str(folder))


def drop(folder: Path, part: str) -> int:
    """Take the tensors with this in their names out of a folder's file, and return their number."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    kept = {name: weight for name, weight in weights.items() if part not in name}
    save_file(kept, path, metadata={"format": "pt"})
    return len(weights) - len(kept)


def test_weights_that_lack_attention_tensors_are_refused_and_named(folder: Path) -> None:
    lost = drop(folder, ".1.attn.")
    with refused(f"{lost} of its layers' tensors", "transformer.h.1.attn.", "random", "insist"):
        load(str(folder))


def test_whoever_insists_sees_them_and_is_told(folder: Path) -> None:
    lost = drop(folder, ".1.attn.")
    report = load(str(folder), insist=True).report
    assert report.insisted
    assert len(report.random_body) == lost
    assert report.lines()[0].severity == "error"
    assert "meaningless" in report.lines()[0].sentence


def test_insisting_on_a_whole_model_changes_nothing(gpt2_folder: Path) -> None:
    assert not load(str(gpt2_folder), insist=True).report.insisted


@pytest.mark.parametrize("prefix", ["module.", "model.", "module.model.", "model.module."])
@pytest.mark.parametrize("of_the_base", [False, True], ids=["whole model", "its base"])
def test_a_wrapper_s_prefix_is_taken_off_and_said(
    folder: Path, gpt2_folder: Path, prefix: str, of_the_base: bool
) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    if of_the_base:
        weights = {name.removeprefix("transformer."): weight for name, weight in weights.items()}
    save_file({prefix + name: weight for name, weight in weights.items()}, path, metadata={"format": "pt"})
    model, expected = load(str(folder)), load(str(gpt2_folder))
    assert model.report.prefix == prefix
    assert model.report.reinitialised == model.report.unexpected == ()
    assert any(prefix in line.sentence and line.severity == "warning" for line in model.report.lines())
    assert torch.equal(model.run("the cat sat").attention(2), expected.run("the cat sat").attention(2))


def test_weights_of_another_network_are_refused_with_how_many_fit(folder: Path) -> None:
    save_file({"a.weight": torch.zeros(3)}, folder / "model.safetensors", metadata={"format": "pt"})
    with refused("0 tensors are", "random"):
        load(str(folder))


@pytest.mark.parametrize(("stored", "used"), [("bfloat16", "float32"), ("float16", "float32"), ("float32", "bfloat16")])
def test_casting_is_counted(folder: Path, stored: str, used: str) -> None:
    path = folder / "model.safetensors"
    weights = {name: weight.to(getattr(torch, stored)) for name, weight in load_file(path).items()}
    save_file(weights, path, metadata={"format": "pt"})
    report = load(str(folder), dtype=used).report
    assert report.cast == ((stored, used, len(weights)),)
    assert report.dtype == used
    assert f"{len(weights)} tensors were cast from {stored} to {used}." in [line.sentence for line in report.lines()]


@pytest.mark.parametrize("stored", ["int8", "uint8", "int64", "bool"])
@pytest.mark.parametrize("prefix", ["", "module.", "without the base"])
def test_whole_numbers_are_no_weights(folder: Path, stored: str, prefix: str) -> None:
    path = folder / "model.safetensors"
    whole = {name: weight.to(getattr(torch, stored)) for name, weight in load_file(path).items()}
    named = prefix if prefix.endswith(".") else ""
    base = "transformer." if prefix and not named else ""
    save_file(
        {named + name.removeprefix(base): weight for name, weight in whole.items()}, path, metadata={"format": "pt"}
    )
    with refused(f"{len(whole)} of its weights", f"whole numbers ({stored})"):
        load(str(folder))


def test_whole_numbers_that_the_network_has_no_weights_for_do_not_matter(folder: Path) -> None:
    path = folder / "model.safetensors"
    mask = {"transformer.h.0.attn.bias": torch.ones(1, 1, 8, 8, dtype=torch.uint8)}
    save_file({**load_file(path), **mask}, path, metadata={"format": "pt"})
    assert load(str(folder)).report.reinitialised == ()


@pytest.mark.parametrize("lost", ["transformer.wte.weight", "transformer.h.0.mlp.c_fc.weight", "transformer.ln_f.bias"])
def test_weights_that_lack_any_tensor_of_the_layers_are_refused(folder: Path, lost: str) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights[lost]
    save_file(weights, path, metadata={"format": "pt"})
    with refused("1 of its layers' tensors", lost, "random"):
        load(str(folder))


def test_a_lost_head_and_unknown_tensors_are_reported(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "bert", AutoModelForSequenceClassification, byte_level)
    path = tmp_path / "model.safetensors"
    weights = load_file(path)
    del weights["classifier.bias"], weights["bert.pooler.dense.weight"]
    save_file(weights | {"bert.extra": torch.zeros(3)}, path, metadata={"format": "pt"})
    model = load(str(tmp_path))
    report = model.report
    assert report.loaded == len(model.network.state_dict()) - 2
    assert report.missing == report.reinitialised == ("bert.pooler.dense.weight", "classifier.bias")
    assert report.unexpected == ("bert.extra",)
    assert report.random_body == ()


def test_a_folder_without_tokenizer_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with refused("no tokenizer", "tokenizer.json"):
        load(str(folder))


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\x00"])
def test_a_damaged_tokenizer_is_refused(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    with refused("tokenizer"):
        load(str(folder))
