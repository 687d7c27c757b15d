from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.checking_tokenizers.files import check_files
from core.models.checking_tokenizers.suspects import suspicions
from tests.examples import examples
from tests.models.checking_tokenizers.good_files import GOOD, byte_level, unigram, wordpiece, written

EXAMPLES = examples(40)
Change = Callable[[dict[str, Any]], None]


def refusal(folder: Path) -> str:
    with pytest.raises(HeadlightError) as caught:
        check_files(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", GOOD)
def test_good_files_pass(tmp_path: Path, kind: str) -> None:
    check_files(written(tmp_path, GOOD[kind](), model_max_length=int(1e30), chat_template="{{ 1 / 0 }}"))
    assert suspicions(GOOD[kind]()) == ()


def vocabulary(**ids: Any) -> Change:
    return lambda given: given["model"]["vocab"].update(ids)


def added(**token: Any) -> Change:
    base = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return lambda given: given["added_tokens"].append(base | token)


def inside(*path: str, value: Any) -> Change:
    def change(given: dict[str, Any]) -> None:
        for key in path[:-1]:
            given = given[key]
        given[path[-1]] = value

    return change


HOSTILE: dict[str, tuple[Change, str]] = {
    "duplicate id": (vocabulary(cat=4), "2 pieces have the id 4, “the” and “cat”"),
    "negative id": (vocabulary(dog=-1), "the id of “dog” is “-1”, and no whole number from 0 on"),
    "true": (vocabulary(dog=True), "the id of “dog” is “True”"),
    "fraction": (vocabulary(dog=1.5), "the id of “dog” is “1.5”"),
    "text": (vocabulary(dog="13"), "the id of “dog” is “13”"),
    "huge id": (vocabulary(dog=10**300), "at most 10,000,000 is allowed"),
    "long piece": (vocabulary(**{"a" * 5_000: 13}), "has 5,000 characters and 1,024 are allowed"),
    "name with a line break": (vocabulary(**{"a\n\u202eb": -1}), r"“a\n\u202eb”"),
    "no vocabulary": (inside("model", "vocab", value=[1, 2]), "its vocabulary is no object"),
    "no model": (inside("model", value="BPE"), "it describes no tokenizer"),
    "unknown model": (inside("model", "type", value="Evil"), "it says that its model is “Evil”"),
    "unknown token": (inside("model", "unk_token", value="<none>"), "its unknown token “<none>” is not in"),
    "added token without id": (added(content="<x>"), "the id of “<x>” is “None”"),
    "added token with two ids": (added(content="cat", id=20), "the added token “cat” has two ids, 5 and 20"),
    "added token of another's id": (added(content="<x>", id=5), "“cat” and the added token “<x>” both have the id 5"),
    "added tokens as an object": (inside("added_tokens", value={}), "its added tokens are no list"),
    "template": (
        inside("post_processor", "special_tokens", "[CLS]", "ids", value=[77]),
        "its template puts “[CLS]” with the id 77 around texts",
    ),
    "long content": (
        inside("normalizer", value={"type": "Prepend", "prepend": "a" * 50_000}),
        "“prepend” of its normalizer has 50,000 characters",
    ),
    "nameless step": (
        inside(
            "decoder", value={"type": "Sequence", "decoders": [{"type": "x", "content": "a", "start": 1, "stop": 1}]}
        ),
        "its decoder has a step of the kind “x”, which nobody knows",
    ),
    "name in a template": (
        inside("post_processor", "single", value=[{"SpecialToken": {"id": "[X]", "type_id": 0}}]),
        "its template names “[X]”, which is not among its special tokens",
    ),
    "many steps": (
        inside("normalizer", value={"type": "Sequence", "normalizers": [{"type": "NFC"}] * 900}),
        "“normalizers” of its normalizer has 900 entries",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_tokenizer_json_that_contradicts_itself_is_refused_with_a_sentence(tmp_path: Path, what: str) -> None:
    change, sentence = HOSTILE[what]
    specification = wordpiece()
    change(specification)
    assert sentence in refusal(written(tmp_path, specification))


def test_merges_and_scores_are_checked(tmp_path: Path) -> None:
    merged = byte_level()
    merged["model"]["merges"].append(["the", "missing"])
    assert "its merges name “missing”" in refusal(written(tmp_path, merged))
    merged["model"]["merges"][-1] = ["a", "b", "c"]
    assert "is no pair of pieces" in refusal(written(tmp_path, merged))
    merged["model"]["merges"].pop()
    merged["model"]["continuing_subword_prefix"] = "##"
    assert "goes on with a piece that does not begin with “##”" in refusal(written(tmp_path, merged))
    scored = unigram()
    scored["model"]["vocab"][3] = ["▁the", True]
    assert "the score of “▁the” is “True”" in refusal(written(tmp_path, scored))
    scored["model"]["vocab"][3] = scored["model"]["vocab"][4]
    assert "has two ids, 3 and 4" in refusal(written(tmp_path, scored))
    scored = unigram()
    scored["model"]["unk_id"] = 9_999
    assert "its unknown piece has the id 9,999" in refusal(written(tmp_path, scored))


def test_json_that_is_deep_double_or_no_json_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, {}) / "tokenizer.json"
    for content, sentence in [
        (b"[" * 100_000, "nested deeper than 16 levels"),
        (b'{"a":' * 30 + b"1" + b"}" * 30, "nested deeper than 16 levels"),
        (b'{"model": {"vocab": {"a": 1, "a": 2}}}', "it says “a” twice"),
        (b'{"model": NaN}', "NaN"),
        (b"\xff\xfe", "no JSON in UTF-8"),
        (b"[]", "it describes no tokenizer"),
        (b"9" * 5_000, "a number of 5,000 digits"),
    ]:
        path.write_bytes(content)
        assert sentence in refusal(tmp_path)


def test_a_vocabulary_of_a_hundred_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = written(tmp_path, {}) / "tokenizer.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert "it has 100.0 MB and 64 MB are allowed" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"tokenizer_class": ["os"]}, "its tokenizer_class is no name of a class"),
        ({"tokenizer_class": "a/b.C"}, "its tokenizer_class is no name of a class"),
        ({"init_inputs": ["/etc/passwd"]}, "“init_inputs”"),
        ({"mecab_kwargs": {"mecab_option": "-r /etc/passwd"}}, "“mecab_kwargs”"),
        ({"sp_model_kwargs": {"model_file": "/etc/passwd"}}, "its sp_model_kwargs name another model file"),
        ({"fast_tokenizer_files": ["../tokenizer.4.json"]}, "lie outside of its folder"),
        ({"added_tokens_decoder": {"-1": {"content": "x"}}}, "an added token has the id “-1”"),
        ({"added_tokens_decoder": {"9999999999": {"content": "x"}}}, "at most 10,000,000 is allowed"),
        ({"added_tokens_decoder": {"1": "x"}}, "the added token 1 has no content"),
        ({"model_max_length": -5}, "its model_max_length is no number from 1 on"),
        ({"additional_special_tokens": ["x"] * 100_001}, "has more than 100,000 entries"),
    ],
)
def test_a_tokenizer_config_that_reaches_out_or_lies_is_refused(
    tmp_path: Path, config: dict[str, Any], sentence: str
) -> None:
    assert sentence in refusal(written(tmp_path, wordpiece(), **config))


def test_own_code_is_never_run_and_refused_where_nothing_else_is_there(tmp_path: Path) -> None:
    own = {"AutoTokenizer": ["evil.Tokenizer", None]}
    check_files(written(tmp_path, wordpiece(), auto_map=own))
    (tmp_path / "tokenizer.json").unlink()
    assert "a program of its own (auto_map), which is never run" in refusal(tmp_path)


def test_slow_files_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 0}')
    assert "2 pieces have the id 0" in refusal(tmp_path)
    (tmp_path / "vocab.json").write_text('{"en": {"a": 0}, "fr": {"b": 0}}')
    (tmp_path / "vocab.txt").write_bytes(b"a\n" + b"b" * 5_000)
    assert "its line 2 has 5,000 bytes" in refusal(tmp_path)
    (tmp_path / "vocab.txt").write_bytes(b"a\nb\n")
    (tmp_path / "source.spm").write_bytes(b"garbage")
    assert "“source.spm”" in refusal(tmp_path)
    assert "no SentencePiece model" in refusal(tmp_path)


def test_what_may_hang_later_is_suspected(tmp_path: Path) -> None:
    hanging = byte_level(r"(z+)+y")
    assert "“(z+)+y” may never end" in suspicions(hanging)[0]
    words = wordpiece()
    words["model"]["max_input_chars_per_word"] = 10**9
    assert "trying out all their parts" in suspicions(words)[0]
    grown = wordpiece()
    double = {"type": "Replace", "pattern": {"String": "z"}, "content": "zz"}
    grown["normalizer"] = {"type": "Sequence", "normalizers": [double] * 30}
    assert any("1,000 times as long" in said for said in suspicions(grown))
    for pattern in ({"String": "a"}, {"Regex": "[a]"}):
        grown["normalizer"] = {"type": "Replace", "pattern": pattern, "content": " b" * 11}
        assert "20 times as long" in suspicions(grown)[0]
        grown["normalizer"]["content"] = " b" * 10
        assert suspicions(grown) == ()
    spaced = wordpiece()
    spaced["normalizer"] = {"type": "Replace", "pattern": {"Regex": "z?"}, "content": "z"}
    assert "one of its steps fails on some texts" in suspicions(spaced)[0]
    stripped = unigram()
    stripped["decoder"] = {"type": "Strip", "content": " ", "start": 0, "stop": 1}
    assert "one of its steps fails on some texts" in suspicions(stripped)[0]
    mapped = unigram()
    mapped["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    assert "leads out of its own table" in suspicions(mapped)[0]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(sorted(GOOD)), data=st.data())
def test_a_spoiled_tokenizer_json_is_read_or_refused(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    text = json.dumps(_SMALL[kind]).encode()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(_PUT | st.just(text[start:end] * 2)) + text[end:]
    written(tmp_path, {})
    (tmp_path / "tokenizer.json").write_bytes(text)
    _read_or_refused(tmp_path)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(sorted(GOOD)), data=st.data())
def test_a_tokenizer_json_with_a_value_of_another_kind_is_read_or_refused(
    tmp_path: Path, kind: str, data: st.DataObject
) -> None:
    specification = json.loads(json.dumps(_SMALL[kind]))
    part: Any = specification
    for _ in range(data.draw(st.integers(0, 5))):
        inner = [key for key in _keys(part) if isinstance(part[key], dict | list)]
        if not inner:
            break
        part = part[data.draw(st.sampled_from(inner))]
    if keys := _keys(part):
        part[data.draw(st.sampled_from(keys))] = data.draw(_ANYTHING)
    _read_or_refused(written(tmp_path, specification, **data.draw(_CONFIGS)))


def _keys(part: Any) -> list[Any]:
    return list(part) if isinstance(part, dict) else list(range(len(part)))


def _read_or_refused(folder: Path) -> None:
    try:
        check_files(folder)
    except HeadlightError:
        return
    suspicions(json.loads((folder / "tokenizer.json").read_bytes()))


_SMALL = {kind: make() for kind, make in GOOD.items()}
_PUT = st.binary(max_size=4) | st.sampled_from(
    [b"null", b"-1", b"1e999", b"true", b'""', b"[]", b"{}", b"[" * 40, b"9" * 30, b'"vocab":', b'"Regex":', b"\\ud800"]
)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("a" * 30_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
_CONFIGS = st.dictionaries(
    st.sampled_from(["tokenizer_class", "added_tokens_decoder", "auto_map", "init_inputs", "sp_model_kwargs", "x"]),
    _ANYTHING,
    max_size=2,
)
