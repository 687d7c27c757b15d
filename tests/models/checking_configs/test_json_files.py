from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.checking_configs.json_files import json_in, object_in, parsed
from core.models.checking_files.telling import Wrong
from tests.examples import examples

EXAMPLES = examples(60)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(VALUES)
def test_json_is_read_as_it_was_written(value: object) -> None:
    assert parsed(json.dumps(value).encode(), deepest=50) == value


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=50) | st.text(alphabet='[]{}",:0123456789eE-+.truefalsn\\u ', max_size=60).map(str.encode))
def test_anything_else_is_refused(data: bytes) -> None:
    try:
        parsed(data)
    except Wrong:
        return
    json.loads(data.decode("utf-8-sig"))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"[" * 1_000_000, "nested deeper than 16 levels"),
        (b"[" * 17 + b"]" * 17, "nested deeper than 16 levels"),
        (b'{"a": 1, "b": 2, "a": 3}', "it says “a” twice, with different values"),
        (b"[Infinity]", "it holds Infinity"),
        (b"[1e999]", "it holds “1e999”"),
        (b"9" * 1_000_000, "a number of 1,000,000 digits"),
        (b"{'a': 1}", "no JSON in UTF-8"),
        (b'"\xff"', "no JSON in UTF-8"),
        (b"", "no JSON in UTF-8"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, what: str) -> None:
    with pytest.raises(Wrong, match=what):
        parsed(data)


def test_the_same_value_twice_is_no_contradiction() -> None:
    assert parsed(b'{"a": [1], "a": [1]}') == {"a": [1]}
    assert parsed(b"[" * 16 + b"]" * 16) is not None


def test_a_file_is_bounded_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a\n<b>.json"
    path.write_bytes(b" " * 2_000_000 + b"{}")
    with pytest.raises(HeadlightError, match=r"“a\\n<b>.json” is not opened, because it has 2.0 MB and 1 MB"):
        json_in(path, 1_000_000)
    path.write_bytes(b"[1]")
    with pytest.raises(HeadlightError, match="it holds no JSON object"):
        object_in(path, 100)
    with pytest.raises(HeadlightError, match="cannot be read from the disk"):
        json_in(tmp_path / "nowhere", 100)
