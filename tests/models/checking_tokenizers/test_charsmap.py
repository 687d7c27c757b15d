from __future__ import annotations

import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import normalizers

from core.models.checking_tokenizers.charsmap import LONGEST_REPLACEMENT, is_sound
from core.models.checking_tokenizers.sentencepiece_files import CHARSMAP, NORMALIZER, fields
from tests.examples import examples
from tests.models.checking_tokenizers.good_files import sentencepieces

EXAMPLES = examples(15)
EVERY_START = "".join(chr(c) + "x\u0301" for c in range(1, 0x11000, 3) if not 0xD800 <= c < 0xE000)


@pytest.fixture(scope="module")
def charsmap() -> bytes:
    """SentencePiece's NFKC, as it ships."""
    spec = next(value for number, value in fields(sentencepieces()) if number == NORMALIZER)
    return next(value for number, value in fields(spec) if number == CHARSMAP)


def of(units: list[int], texts: bytes) -> bytes:
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts


def leaf(label: int, offset: int) -> int:
    return label | (1 << 8) | (offset << 10)


def test_the_normaliser_that_sentencepiece_ships_is_sound(charsmap: bytes) -> None:
    assert is_sound(charsmap)
    assert is_sound(b"")


def small(texts: bytes, value: int) -> bytes:
    """One that replaces the letter a by what stands at `value` of its texts."""
    units = [256 << 10] + [0] * 1023
    units[256 ^ ord("a")] = leaf(ord("a"), 512)
    units[256 ^ ord("a") ^ 512] = value
    return of(units, texts)


def test_a_small_one_is_sound_and_replaces() -> None:
    assert is_sound(small(b"bc\0", 0))
    assert normalizers.Precompiled(small(b"bc\0", 0)).normalize_str("xa") == "xbc"


@pytest.mark.parametrize(
    "charsmap",
    [
        small(b"bc\0", 3),
        small(b"bc\0", 2**31 - 1),
        small("é\0".encode(), 1),
        small(b"bc", 0),
        small(b"\xff\0", 0),
        small(b"b" * (LONGEST_REPLACEMENT + 1) + b"\0", 0),
        of([1 << 30], b"a\0"),
        of([256 << 10] + [0] * 300, b"a\0"),
        b"\0",
        b"\xff" * 100,
        struct.pack("<I", 2**32 - 1) + b"\0" * 64,
    ],
    ids=["behind", "far", "inside é", "no end", "no UTF-8", "long", "root", "short", "one byte", "noise", "count"],
)
def test_one_that_leads_out_of_its_table_is_not(charsmap: bytes) -> None:
    assert not is_sound(charsmap)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.integers(0, 2**18), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6))
def test_texts_stay_inside_whatever_is_called_sound(charsmap: bytes, changes: list[tuple[int, bytes]]) -> None:
    spoiled = bytearray(charsmap)
    for place, change in changes:
        place %= len(spoiled)
        spoiled[place : place + len(change)] = change
    if is_sound(bytes(spoiled)):
        # A panic of Rust's is no Exception, and would end the test.
        assert normalizers.Precompiled(bytes(spoiled)).normalize_str(EVERY_START) is not None
