"""A name from a browser is plain on every system or refused, and is quoted so that all of it is seen."""

import unicodedata
from contextlib import suppress
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.intake import Limits, safe_name, safe_path
from core.models.quoting import LONGEST, shown
from tests.examples import examples
from tests.sentences import refused


@pytest.mark.parametrize(
    "name",
    [
        "model.safetensors",
        "模型-00001-of-00002.bin",
        "نموذج",
        "🧑‍🚀".replace("\u200d", ""),
        "a b",
        "<b>&amp;",
        "..a",
        ".x",
    ],
)
def test_plain_names_in_any_script_stay(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        ("a\0b", "control"),
        ("a\nb", "control"),
        ("a\x7f", "control"),
        ("a\u2028b", "line break"),
        ("gpj.\u202esafetensors", "invisible"),
        ("a\u200bb", "invisible"),
        ("a\ufeff", "invisible"),
        ("a\u3164b", "invisible"),
        ("a\ud800", "half a character"),
        (".", "another folder"),
        ("..", "another folder"),
        ("a/b", "slash"),
        ("a\\b", "slash"),
        ("c:model", "drive"),
        ("con", "device"),
        ("Aux.json", "device"),
        ("COM¹.txt", "device"),
        ("NUL .gguf", "device"),
        ("model.", "ends with"),
        ("model ", "ends with"),
        ("model\u00a0", "ends with"),
        ("a" * 256, "256 bytes"),
        ("模" * 86, "258 bytes"),
        ("a" * 4_096, "4,096 bytes"),
    ],
)
def test_names_that_hide_or_lead_elsewhere_are_refused(name: str, why: str) -> None:
    with refused(why):
        safe_name(name)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "\\\\host\\share", "C:\\x", "../x", "a/../x", "a//b", "a/", "a/./b", "a/b\\c", "a/nul/b"]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with refused():
        safe_path(path)


def test_paths_are_as_deep_as_the_bounds_allow() -> None:
    bounds = Limits(depth=3)
    assert safe_path("a/b/c", bounds) == PurePosixPath("a/b/c")
    with refused("more than 2 folders"):
        safe_path("a/b/c/d", bounds)


def test_names_are_composed() -> None:
    assert safe_name("Mode\u0301le") == "Mod\u00e9le"


def test_a_name_of_endless_marks_takes_no_time() -> None:
    with refused("bytes"):
        safe_name("a" + "\u0301\u0323" * 10**6)


def test_what_is_quoted_is_spelled_out_and_short() -> None:
    assert shown("a\n\u202eb\0\ud800") == r"a\n\u202eb\x00\ud800"
    assert shown("a" * 60) == "a" * 60
    ends = r"\x00" * 15
    assert shown("\0" * 10**6) == f"{ends[:30]}…{ends[-29:]}"
    assert all(len(shown(text)) == LONGEST for text in ("a" * 61, "\ud800" * 60, "\0" * 16))


@settings(deadline=None, max_examples=examples(200))
@given(st.text(st.characters() | st.sampled_from("/\\.: \0\u202e"), max_size=40))
def test_whatever_passes_is_one_part_that_passes_again(raw: str) -> None:
    with suppress(HeadlightError):
        name = safe_name(raw)
        assert safe_name(name) == name
        assert PurePosixPath("x", name).parts == ("x", name)
        assert unicodedata.is_normalized("NFC", name)
        assert name.isprintable() or any(unicodedata.category(char) in ("Zs", "Co", "Cn") for char in name)
