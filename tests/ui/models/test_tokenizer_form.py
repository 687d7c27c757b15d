"""The form of a missing tokenizer: what fits first, six ways to make one, and each tried on a text."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from core.models.tokenizing import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Pattern,
    Specials,
    TokenizerChoice,
    Whitespace,
)
from core.ui.models.tokenizer.facts import Piece
from core.ui.models.tokenizer.form import IN_META
from core.ui.models.tokenizer.texts import CHINESE, MOLECULES, PLAIN, PROTEIN, suited_text
from core.ui.models.tokenizer.trial import chips
from tests.models.preparing.linear_gpt2 import Sizes, nanogpt
from tests.ui.models.forms import Forms, bert, candidate

TRIAL = "Try it on a text"
WAY = "Tokenizer, what fits best first"


def with_rows(rows: int, **changes):
    """A candidate that lacks a tokenizer only, with so many rows in its table of embeddings."""
    name = "bert.embeddings.word_embeddings.weight"
    return candidate("tokenizer", tensors=bert() | {name: (rows, 64)}, **changes)


def test_the_tokenizer_of_a_model_with_as_many_rows_comes_first_and_is_tried():
    forms = Forms(with_rows(30_522))
    assert forms.chosen.tokenizer == FromCatalogue("all-MiniLM-L6-v2")
    assert forms.chosen.config is None
    assert "exactly as many ids" in forms.field("radio", WAY).proto.captions[0]
    assert "<bdi>cat</bdi><small>4937</small>" in forms.html


def test_characters_that_are_typed_become_tokens_in_the_order_of_their_lines():
    forms = Forms(with_rows(100)).set("radio", WAY, "characters")
    assert forms.chosen is None
    assert "Type the tokens, one a line, or upload a file with them." in forms.sentences
    forms.set("text_area", "Tokens", "[UNK]\nT\nh\n \n<i>\n\\n\n\n").set("text_input", "Try it on a text", "T h")
    assert forms.chosen.tokenizer == Characters(("[UNK]", "T", "h", " ", "<i>", "\n"), Specials())
    assert "<bdi>T</bdi><small>1</small>" in forms.html
    assert "<bdi>␣</bdi><small>3</small>" in forms.html


def test_what_makes_no_tokenizer_is_said_beside_its_field():
    forms = Forms(with_rows(100)).set("radio", WAY, "characters").set("text_area", "Tokens", "a\na")
    assert forms.chosen is None
    assert any("twice" in sentence for sentence in forms.sentences)


def test_special_tokens_have_the_names_that_are_typed_and_a_hyphen_means_none():
    forms = Forms(with_rows(100)).set("radio", WAY, "characters").set("text_area", "Tokens", "?\na\nb")
    assert forms.chosen is None
    forms.set("text_input", "Unknown", "?").set("text_input", "Start", "-")
    assert forms.chosen.tokenizer.specials == Specials(unknown="?", start="")


def test_an_untouched_expression_shows_one_notice():
    forms = Forms(with_rows(100)).set("radio", WAY, "pattern")
    assert forms.chosen is None
    assert len(forms.sentences) == 1
    assert "regular expression" in forms.sentences[0]
    assert "tokens" in forms.sentences[0]


def test_an_esm_without_a_tokenizer_gets_its_alphabet_and_is_tried_on_a_protein():
    config = {"model_type": "esm", "vocab_size": 33}
    app = Forms(candidate("tokenizer"), config=config)
    assert app.chosen.vocabulary[4:7] == ("L", "A", "G")
    assert app.field("text_input", TRIAL).value == PROTEIN


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        (Characters(tuple("xyz")), "xyz"),
        (Characters(("<unk>", *"thecasonm", ".")), PLAIN),
        (Characters(("<unk>", *"abc")), "abc"),
        (Characters(("[UNK]", *"ACDEFGHIKLMNPQRSTVWY")), PROTEIN),
        (Characters(tuple("猫坐在垫子上。")), CHINESE),
        (Whitespace(("<unk>", "le", "chat")), "le chat"),
        (Pattern(SMILES, ("C", "O", "(", ")", "=")), "CC(=O)OCC"),
        (Pattern(SMILES, Path("/nowhere.txt")), MOLECULES[0]),
        (Bytes(), PLAIN),
        (FromCatalogue("zh-en-transformer"), CHINESE),
    ],
)
def test_the_first_text_is_one_that_the_tokenizer_can_read(choice: TokenizerChoice, text: str):
    assert suited_text(choice) == text


def test_a_vocabulary_of_chinese_in_a_file_is_tried_on_chinese_and_a_damaged_one_on_english(tmp_path: Path):
    chinese, damaged = tmp_path / "vocab.txt", tmp_path / "vocab.json"
    chinese.write_text("[UNK]\n猫\n##猫\n狗\nthe\n", encoding="utf-8")
    damaged.write_text("[" * 100_000)
    assert suited_text(FromFile(chinese)) == CHINESE
    assert suited_text(FromFile(damaged)) == PLAIN


def test_the_text_that_was_tried_is_kept_for_the_attention_page_and_what_was_typed_stays():
    forms = Forms(with_rows(100)).set("radio", WAY, "characters").set("text_area", "Tokens", "[UNK]\nx\ny")
    assert forms.tried == "xy"
    forms.set("text_input", TRIAL, "yyx").set("text_area", "Tokens", "[UNK]\nx\ny\nz")
    assert forms.tried == "yyx"
    forms.set("text_input", TRIAL, PLAIN)
    assert forms.tried is None


def test_bytes_need_room_before_them_for_their_special_tokens():
    forms = Forms(with_rows(5_000)).set("radio", WAY, "bytes")
    forms.set("text_input", "Special tokens before the bytes", "<pad> </s> <unk>")
    assert forms.chosen is None
    assert "3 tokens have no room before byte 0: set its id to 3 or more." in forms.sentences
    forms.set("number_input", "Id of byte 0", 3)
    assert forms.chosen.tokenizer == Bytes(3, ("<pad>", "</s>", "<unk>"))


def test_the_expression_for_smiles_is_taken_with_a_click_and_one_that_is_none_is_refused():
    forms = Forms(with_rows(100)).set("radio", WAY, "pattern")
    forms.set("text_area", "Tokens", "[UNK]\nC\nO\n(\n)\n=\n>")
    next(button for button in forms.app.button if button.label == "Take the one for SMILES").click()
    assert forms.run().chosen.tokenizer.pattern == SMILES
    assert isinstance(forms.chosen.tokenizer, Pattern)
    forms.set("text_input", "Regular expression", "(")
    assert forms.chosen is None
    assert any("regular expression" in sentence for sentence in forms.sentences)


@pytest.mark.parametrize(("way", "kind"), [("whitespace", Whitespace), ("file", FromFile)])
def test_a_vocabulary_of_the_upload_is_taken_without_asking(tmp_path: Path, way: str, kind: type):
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nthe\n##s\ncat\n", encoding="utf-8")
    forms = Forms(with_rows(5_000, vocabularies=(path,))).set("radio", WAY, way)
    assert isinstance(forms.chosen.tokenizer, kind)
    assert path in (getattr(forms.chosen.tokenizer, "path", None), getattr(forms.chosen.tokenizer, "vocabulary", None))


def test_how_words_are_read_stays_chosen_while_another_way_is_tried(tmp_path: Path):
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\nthe\n##s\ncat\n", encoding="utf-8")
    forms = Forms(with_rows(5_000, vocabularies=(path,))).set("radio", WAY, "file")
    for split, words in ((None, "As the words show"), ("wordpiece", "Keep capital letters")):
        forms.set("selectbox", "Words", words)
        forms.set("radio", WAY, "whitespace").set("radio", WAY, "file")
        assert next(menu for menu in forms.app.selectbox if menu.label == "Words").value == words
        assert forms.chosen.tokenizer.split == split


def test_an_uploaded_vocabulary_is_read_and_kept_until_another_upload_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    forms = Forms(with_rows(5_000)).set("radio", WAY, "file")
    assert "Choose a vocabulary file: none lies beside the weights." in forms.sentences
    forms.app.file_uploader[0].upload("vocab.txt", b"[UNK]\nthe\n##s\ncat\n", "text/plain")
    path = forms.run().chosen.tokenizer.path
    assert path.read_text() == "[UNK]\nthe\n##s\ncat\n"
    assert "<bdi>cat</bdi><small>3</small>" in forms.html
    forms.app.args = (with_rows(5_000, name="another"), "form")
    forms.run()
    assert not path.exists()


def of_nanogpt(rows: int, **changes):
    """nanoGPT's checkpoint alone, as names and shapes."""
    network = nanogpt(bias=False, sizes=Sizes(vocab_size=rows))
    return candidate("tokenizer", tensors={name: tuple(t.shape) for name, t in network.state_dict().items()}, **changes)


def meta(letters: str) -> bytes:
    return pickle.dumps({"vocab_size": len(letters), "stoi": {letter: at for at, letter in enumerate(letters)}})


def test_nanogpts_meta_pkl_is_asked_for_and_taken_without_another_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    forms = Forms(of_nanogpt(5)).set("radio", WAY, "characters")
    assert IN_META in forms.sentences
    assert ".pkl" in forms.app.file_uploader[0].proto.type
    forms.app.file_uploader[0].upload("meta.pkl", meta("\nACGT"), "application/octet-stream")
    assert forms.run().chosen.tokenizer.vocabulary.name == "meta.pkl"
    assert forms.tried == "ACGT"
    assert "<bdi>A</bdi><small>1</small>" in forms.html
    assert not forms.sentences


def test_a_damaged_meta_pkl_is_refused_beside_its_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "uploads"))
    forms = Forms(of_nanogpt(5)).set("radio", WAY, "file")
    forms.app.file_uploader[0].upload("meta.pkl", b"\x80\x04cos\nsystem\n.", "application/octet-stream")
    assert forms.run().chosen is None
    assert any("so it is not read" in sentence for sentence in forms.sentences)


def test_meta_pkl_is_asked_for_of_nanogpt_with_few_rows_alone(tmp_path: Path):
    (tmp_path / "meta.pkl").write_bytes(meta("\nACGT"))
    others = of_nanogpt(50_257), with_rows(5), of_nanogpt(5, vocabularies=(tmp_path / "meta.pkl",))
    assert not any(IN_META in Forms(other).sentences for other in others)


def test_tokens_without_a_row_are_marked_and_hostile_letters_are_letters():
    html = chips([Piece("<b>", 3), Piece("\u202e", 9), Piece("", None)], 9)
    assert "&lt;b&gt;" in html
    assert "\u202e" not in html
    assert html.count('class="beyond"') == 1
    assert "∅" in html
