"""Lists of tokens in files: which id each token has, and with which sentence a bad file is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.tokenizing.vocabularies import HIGHEST_ID, MOST_ENTRIES, MOST_NBYTES, Read, read_vocabulary
from tests.examples import examples

# With a space or a number in it a line may be taken for a token with its count.
LINES = st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs", "Nd"]), min_size=1)


def read(tmp_path: Path, data: bytes, name: str = "vocab.txt") -> Read:
    path = tmp_path / name
    path.write_bytes(data)
    return read_vocabulary(path)


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b"a\nb\n", {"a": 0, "b": 1}),
        (b"a\nb", {"a": 0, "b": 1}),
        (b"\xef\xbb\xbfa\nb\n", {"a": 0, "b": 1}),
        (b"a\r\nb\r\n", {"a": 0, "b": 1}),
        (b"a\r\nb", {"a": 0, "b": 1}),
        (b"\r\nb\nc\n", {"\r": 0, "b": 1, "c": 2}),
        (b" \n\t\n", {" ": 0, "\t": 1}),
        ("\u2028\n\x85\n\x0b\n".encode(), {"\u2028": 0, "\x85": 1, "\x0b": 2}),
        ("你\n😀\ne\u0301\n".encode(), {"你": 0, "😀": 1, "e\u0301": 2}),
        (b"7\n8\n", {"7": 0, "8": 1}),
    ],
)
def test_the_number_of_its_line_is_the_id_of_a_token(tmp_path: Path, data: bytes, ids: dict[str, int]) -> None:
    assert read(tmp_path, data).ids == ids


def test_blank_lines_count_and_are_told_but_for_those_at_the_end(tmp_path: Path) -> None:
    found = read(tmp_path, b"a\n\n\nb\n\n")
    assert found.ids == {"a": 0, "b": 3}
    assert found.notes == ("In the vocabulary 2 blank entries have ids and no token.",)


def test_gaps_between_ids_are_allowed_and_told(tmp_path: Path) -> None:
    found = read(tmp_path, b'{"a": 0, "b": 5, "c": 2}', "vocab.json")
    assert found.ids == {"a": 0, "b": 5, "c": 2}
    assert found.notes == ("In the vocabulary 3 ids have no token, the first of them 1.",)


def test_a_list_in_json_has_ids_in_its_order(tmp_path: Path) -> None:
    assert read(tmp_path, b'["a", "\\u4f60"]', "vocab.json").ids == {"a": 0, "你": 1}


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("v.txt", b"a\nb\nc\nb\n", "“b” stands in it twice, in the lines 2 and 4"),
        ("v.txt", b"", "there is no token in it"),
        ("v.txt", b"\n\n", "there is no token in it"),
        ("v.txt", b"a\ncaf\xe9\n", "it is no UTF-8: line 2 holds the byte 0xE9: save it as UTF-8"),
        ("v.txt", "a\n".encode("utf-16"), "it is written in UTF-16: save it as UTF-8"),
        ("v.txt", b"x" * 1_001, "has 1,001 characters and 1,000 are allowed"),
        ("v.txt", b"the 120\nof 99\n", "each of its lines holds a token and a number"),
        ("v.txt", b"\n" * (MOST_ENTRIES + 1), "more than 2,000,000 lines"),
        ("v.json", b'{"a": 0, "b": 0}', "“a” and “b” have the same id 0"),
        ("v.json", b'{"a": 0, "a": 1}', "“a” stands in it twice"),
        ("v.json", b'{"a": -1}', "the id of “a” is no whole number from 0 to"),
        ("v.json", b'{"a": true}', "the id of “a” is no whole number"),
        ("v.json", b'{"a": 1.0}', "the id of “a” is no whole number"),
        ("v.json", b'{"a": "1"}', "the id of “a” is no whole number"),
        ("v.json", b'{"a": null}', "the id of “a” is no whole number"),
        ("v.json", b'{"a": NaN}', "the id of “a” is no whole number"),
        ("v.json", b'{"a": {"b": 1}}', "the id of “a” is no whole number"),
        ("v.json", json.dumps({"a": HIGHEST_ID + 1}).encode(), "the id of “a” is no whole number"),
        ("v.json", b'{"a": 1' + b"0" * 5_000 + b"}", "it is no JSON"),
        ("v.json", b'{"\\ud800": 0}', "holds half a character"),
        ("v.json", b"[" * 100_000, "it is nested too deeply"),
        ("v.json", b'["a", 1]', "neither"),
        ("v.json", b"{}", "there is no token in it"),
        ("v.json", b"17", "neither"),
        ("v.json", b"{", "it is no JSON"),
        ("v.json", '{"a": 0}'.encode("utf-16"), "it is written in UTF-16"),
        ("v\u202e\n.txt", b"a\na\n", "v\\u202e\\n.txt"),
    ],
)
def test_a_bad_file_is_refused_with_its_sentence(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    with pytest.raises(HeadlightError) as refusal:
        read(tmp_path, data, name)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    with path.open("wb") as file:
        file.truncate(MOST_NBYTES + 1)
    with pytest.raises(HeadlightError, match="64 MB and a vocabulary may have 64"):
        read_vocabulary(path)


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "vocab.txt")
    with pytest.raises(HeadlightError, match="no regular file"):
        read_vocabulary(tmp_path / "vocab.txt")


@given(st.binary(max_size=60) | st.text(max_size=30).map(lambda text: json.dumps(text).encode()))
@settings(max_examples=examples(100), deadline=None)
def test_whatever_the_bytes_the_answer_is_ids_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for name in ("any.txt", "any.json"):
        try:
            found = read(folder, data, name)
        except HeadlightError:
            continue
        assert found.ids
        assert all(type(number) is int and number >= 0 for number in found.ids.values())


@given(st.lists(LINES, min_size=1, unique=True))
@settings(max_examples=examples(60), deadline=None)
def test_tokens_written_one_a_line_are_read_again(tmp_path_factory: pytest.TempPathFactory, tokens: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.txt"
    path.write_bytes("".join(f"{token}\n" for token in tokens).encode())
    found = read_vocabulary(path).ids
    assert list(found) == tokens
    assert list(found.values()) == list(range(len(tokens)))
