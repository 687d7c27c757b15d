"""Tokenizers written into a folder: whole or not at all, and opened by `load` with a network of any family."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from core import load
from core.errors import HeadlightError
from core.jobs import Cancelled, Job
from core.models.catalogue import find
from core.models.opening.tokenizer_opening import open_tokenizer
from core.models.tokenizing import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Pattern,
    Specials,
    try_on,
    write_tokenizer,
)
from core.models.tokenizing.asking import told as asked
from core.models.tokenizing.building import built
from core.models.tokenizing.inside import pieces
from core.text import encoder_of
from tests.models.tokenizing.readers import BASE
from tests.tiny import network_of, tiny_config

TEXT = "C=Cl 你好😀"


def test_a_network_opens_with_it(tmp_path: Path) -> None:
    network_of(tiny_config("bert")).save_pretrained(tmp_path)
    write_tokenizer(Characters((*BASE, *"abC=l 你")), tmp_path)
    model = load(str(tmp_path), device="cpu")
    tokens = model.encode(TEXT)
    assert tokens.labels == ("<s>", *"C=Cl␣你好😀", "</s>")
    assert [label for label, unknown in zip(tokens.labels, tokens.unknown, strict=True) if unknown] == ["好", "😀"]
    assert (model.report.tokenizer_size, model.report.embedding_rows) == (11, 96)


def test_the_id_of_what_it_does_not_know_is_none_that_the_model_lacks(tmp_path: Path) -> None:
    letters = tuple("abC=l 你")
    network_of(tiny_config("gpt2", vocab_size=len(letters), bos_token_id=None, eos_token_id=None)).save_pretrained(
        tmp_path
    )
    write_tokenizer(Characters(letters, Specials(unknown="")), tmp_path)
    report = load(str(tmp_path), device="cpu").report
    assert (report.tokenizer_size, report.embedding_rows) == (7, 7)
    assert "warning" not in {line.severity for line in report.lines()}


@pytest.mark.parametrize("kind", ["gpt2", "llama", "roberta", "t5", "qwen2"])
def test_it_is_read_in_the_same_way_beside_networks_of_any_family(tmp_path: Path, kind: str) -> None:
    tiny_config(kind).save_pretrained(tmp_path)
    write_tokenizer(Pattern(SMILES, (*BASE, "C", "Cl", "=")), tmp_path)
    assert encoder_of(open_tokenizer(tmp_path), 64).encode(TEXT).labels == ("<s>", "C", "=", "Cl", "␣你好😀", "</s>")


def test_a_catalogue_models_tokenizer_reads_as_it_does_there(tmp_path: Path) -> None:
    tiny_config("roberta").save_pretrained(tmp_path)
    write_tokenizer(FromCatalogue("en-fr-transformer"), tmp_path)
    own = find("en-fr-transformer")
    assert own is not None
    there, here = (AutoTokenizer.from_pretrained(folder) for folder in (own.open_folder(), tmp_path))
    assert encoder_of(here, 64).encode(TEXT) == encoder_of(there, 64).encode(TEXT)


def test_bytes_are_written_with_their_names(tmp_path: Path) -> None:
    assert write_tokenizer(Bytes(3, ("<pad>", "</s>", "<unk>")), tmp_path) == ()
    assert {path.name for path in tmp_path.iterdir()} == {"tokenizer.json", "tokenizer_config.json"}
    told = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert (told["pad_token"], told["eos_token"], told["unk_token"]) == ("<pad>", "</s>", "<unk>")
    assert [token["id"] for token in json.loads((tmp_path / "tokenizer.json").read_text())["added_tokens"]] == [0, 1, 2]


def test_an_adapters_tokenizer_is_that_of_its_base(tmp_path: Path) -> None:
    write_tokenizer(FromCatalogue("sentiment-minilm-lora"), tmp_path)
    assert len(json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"]) == 30_522
    assert "model_max_length" not in json.loads((tmp_path / "tokenizer_config.json").read_text())


@pytest.mark.parametrize("name", ["nobody/nothing", "netra-transliterate"])
def test_a_name_without_a_tokenizer_for_others_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(HeadlightError, match=name):
        write_tokenizer(FromCatalogue(name), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("tokenizer.json", "{}", "it describes no tokenizer"),
        ("tokenizer.json", '{"model": ' + "[" * 50_000, "it is nested too deeply"),
        ("tokenizer.json", '{"model": {"type": "Nonsense"}}', "The tokenizers library cannot use this tokenizer"),
        ("vocab.txt", "[UNK]\n[UNK]\n", "in the lines 1 and 2"),
    ],
)
def test_a_file_that_makes_no_tokenizer_is_refused_from_its_box(
    tmp_path: Path, name: str, content: str, sentence: str
) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "model").mkdir()
    with pytest.raises(HeadlightError, match=sentence):
        write_tokenizer(FromFile(tmp_path / name), tmp_path / "model")
    assert list((tmp_path / "model").iterdir()) == []


def test_merges_of_another_vocabulary_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps({"Ġ": 0, "a": 1, "<unk>": 2}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\nĠ a\n")
    with pytest.raises(HeadlightError, match="line 2 needs the piece “Ġa”, which the vocabulary lacks"):
        write_tokenizer(FromFile(tmp_path / "vocab.json"), tmp_path)


def test_a_tokenizer_that_is_there_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    write_tokenizer(Characters(BASE), tmp_path)
    before = (tmp_path / "tokenizer.json").read_bytes()
    with pytest.raises(HeadlightError):
        write_tokenizer(Characters(("a",)), tmp_path)
    assert (tmp_path / "tokenizer.json").read_bytes() == before
    write_tokenizer(Characters((*BASE, "a")), tmp_path)
    assert (tmp_path / "tokenizer.json").read_bytes() != before


def test_what_is_odd_is_told(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"[UNK]": 0, "a": 9}')
    notes = write_tokenizer(FromFile(tmp_path / "vocab.json"), tmp_path)
    assert [note.split(",")[0] for note in notes] == [
        "In the vocabulary 8 ids have no token",
        "Texts are lower-cased before they are split",
        "No token of the vocabulary begins with ##",
    ]


def test_tokens_that_a_way_of_splitting_never_gives_are_told() -> None:
    notes = built(Characters((*BASE, "C", "Cl", "Br"))).notes
    assert notes == ("2 tokens have more than one character and will never be read, “Cl” among them.",)


def test_a_whole_tokenizer_is_taken_over_as_it_is(tmp_path: Path) -> None:
    write_tokenizer(Pattern("[ab]", (*BASE, "a")), tmp_path)
    (tmp_path / "model").mkdir()
    write_tokenizer(FromFile(tmp_path / "tokenizer.json"), tmp_path / "model")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        assert json.loads((tmp_path / "model" / name).read_text()) == json.loads((tmp_path / name).read_text())


def test_names_of_special_tokens_are_taken_from_the_file_beside(tmp_path: Path) -> None:
    write_tokenizer(Characters((*BASE, "<stop>"), Specials(start="", end="")), tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": {"content": "<stop>"}, "bos_token": "gone"}')
    told = built(FromFile(tmp_path / "tokenizer.json")).config
    assert (told["eos_token"], told["bos_token"]) == ("<stop>", "<s>")


def test_a_preview_shows_pieces_and_special_tokens() -> None:
    assert try_on(Characters((*BASE, "a", "你")), "a你😀") == ["<s>", "a", "你", "<unk>", "</s>"]
    assert try_on(FromCatalogue("all-MiniLM-L6-v2"), "Cats!") == ["[CLS]", "cats", "!", "[SEP]"]
    assert try_on(Characters((*BASE, "a")), "a\ud800") == ["<s>", "a", "<unk>", "</s>"]


def test_a_preview_ends_in_time() -> None:
    with pytest.raises(HeadlightError, match=r"too many steps|took longer|cannot read"):
        try_on(Pattern("(a+)+$", ("<unk>", "a")), "a" * 40 + "!")
    with pytest.raises(HeadlightError, match="at most 2,000 characters"):
        try_on(Bytes(), "a" * 2_001)


def test_an_expression_that_gives_up_on_a_text_is_told_in_the_sentence_that_writing_it_gives(tmp_path: Path) -> None:
    never = r"(a+)+$|(?:a|aa)+\d"
    text = "a" * 399 + "!"
    with pytest.raises(HeadlightError, match=r"^The regular expression takes too many steps on the text") as told:
        pieces({"choice": asked(Pattern(never, ("<unk>", "a", "b"))), "text": text})
    assert "Onig" not in str(told.value)
    write_tokenizer(Characters((*BASE, "a")), tmp_path)
    path = tmp_path / "tokenizer.json"
    specification = json.loads(path.read_text())
    split = {"type": "Split", "pattern": {"Regex": never}, "behavior": "Isolated", "invert": False}
    path.write_text(json.dumps(specification | {"pre_tokenizer": split}))
    with pytest.raises(HeadlightError, match=r"^A regular expression of the tokenizer takes too many steps"):
        pieces({"choice": asked(FromFile(path)), "text": text})


def test_a_stopped_job_leaves_nothing(tmp_path: Path) -> None:
    job = Job("someone", "a tokenizer")
    job.cancel()
    with pytest.raises(Cancelled):
        write_tokenizer(Characters(BASE), tmp_path, job)
    assert list(tmp_path.iterdir()) == []


def test_a_choice_costs_no_torch() -> None:
    code = "import sys; import core.models.tokenizing; assert not {'torch', 'transformers'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
