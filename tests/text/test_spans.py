import pytest
from hypothesis import given, settings

from core.text import TextEncoder, Tokens
from core.text.cleaning import replace_lone_surrogates
from core.text.spans import mend_spans
from tests.byte_level import SETUPS
from tests.text.strategies import TEXTS

READABLE = TEXTS.filter(lambda text: not replace_lone_surrogates(text)[0].isspace())


@pytest.fixture(scope="module")
def byte_level_encoders() -> dict[str, TextEncoder]:
    return {name: TextEncoder.fix(make(), None, 4096) for name, make in SETUPS.items()}


def own_spans(tokens: Tokens) -> list[tuple[int, int]]:
    return [span for span in tokens.spans if span is not None]


def assert_in_order(spans: list[tuple[int, int]], length: int) -> None:
    assert all(0 <= start <= end <= length for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)


@settings(deadline=None)
@given(text=READABLE)
@pytest.mark.parametrize("setup", SETUPS)
def test_byte_level_spans_cover_every_character_in_order(
    byte_level_encoders: dict[str, TextEncoder], setup: str, text: str
):
    tokens = byte_level_encoders[setup].encode(text)
    assert_in_order(own_spans(tokens), len(tokens.text))
    assert {i for span in own_spans(tokens) for i in range(*span)} == set(range(len(tokens.text)))


@settings(deadline=None)
@given(text=TEXTS.map(lambda text: f"a {text}"))
def test_wordpiece_spans_are_ordered_and_hold_no_space(wordpiece: TextEncoder, text: str) -> None:
    tokens = wordpiece.encode(text)
    assert_in_order(own_spans(tokens), len(tokens.text))
    assert all(start < end for start, end in own_spans(tokens))
    assert not any(tokens.text[start:end].isspace() for start, end in own_spans(tokens))


@pytest.mark.parametrize("setup", SETUPS)
def test_white_space_belongs_to_the_token_that_holds_it(
    byte_level_encoders: dict[str, TextEncoder], setup: str
) -> None:
    text = "the  cat\n\tsat "
    tokens = byte_level_encoders[setup].encode(text)
    assert "".join(text[start:end] for start, end in own_spans(tokens)) == text


def test_a_single_leading_space_is_not_lost(byte_level_encoders: dict[str, TextEncoder]) -> None:
    for setup in ("gpt2", "llama 3"):
        tokens = byte_level_encoders[setup].encode(" 각")
        assert own_spans(tokens)[0] == (0, 1)
        assert tokens.labels[list(tokens.special).count(True)] == "␣"


def test_combining_marks_belong_to_their_letter(wordpiece: TextEncoder) -> None:
    tokens = wordpiece.encode("cafe\u0301 e\u0301\u0302\u0303 end")
    assert tokens.labels[1:-1] == ("cafe\u0301", "e\u0301\u0302\u0303", "end")
    assert own_spans(tokens) == [(0, 5), (6, 10), (11, 14)]


def test_marks_go_to_the_letter_before_them_and_nowhere_else() -> None:
    assert mend_spans("e\u0301x", [(0, 1), (2, 3)], ["e", "x"]) == [(0, 2), (2, 3)]
    assert mend_spans("e\u0301", [(0, 1), (1, 2)], ["e", "\u0301"]) == [(0, 1), (1, 2)]
    assert mend_spans("\u0301e", [(1, 2)], ["e"]) == [(1, 2)]
    assert mend_spans("e \u0301", [(0, 1)], ["e"]) == [(0, 1)]
    assert mend_spans("a\u200d", [(0, 1)], ["a"]) == [(0, 2)]
    assert mend_spans("", [], []) == []


def test_a_letter_spelt_like_the_byte_level_space_keeps_its_span() -> None:
    # A cased WordPiece vocabulary knows the Maltese letter Ġ.
    assert mend_spans("Ġ a Ġ", [(0, 1), (2, 3), (4, 5)], ["Ġ", "a", "Ġ"]) == [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize(
    ("text", "offsets", "pieces", "expected"),
    [
        ("cat", [(0, 1), (0, 3)], ["▁", "cat"], [(0, 0), (0, 3)]),  # put there
        ("a cat", [(0, 1), (2, 5)], ["▁a", "▁cat"], [(0, 1), (1, 5)]),  # the white space was split off before
        ("a \n cat", [(0, 1), (4, 7)], ["▁a", "▁cat"], [(0, 1), (1, 7)]),  # folded to one
        ("a  cat", [(0, 1), (1, 2), (3, 6)], ["▁a", "▁", "cat"], [(0, 1), (1, 3), (3, 6)]),
        ("a 猫", [(0, 1), (2, 3), (2, 3)], ["▁a", "▁", "猫"], [(0, 1), (1, 2), (2, 3)]),
        (" a", [(1, 2)], ["▁a"], [(1, 2)]),  # cut off, and another put there
        ("\ta", [(0, 1), (0, 1), (1, 2)], ["▁", "\t", "a"], [(0, 0), (0, 1), (1, 2)]),
        ("▁a", [(0, 2)], ["▁a"], [(0, 2)]),  # typed
    ],
)
def test_a_space_mark_covers_the_white_space_that_it_stands_for(
    text: str, offsets: list[tuple[int, int]], pieces: list[str], expected: list[tuple[int, int]]
) -> None:
    assert mend_spans(text, offsets, pieces, "▁") == expected


def test_bytes_reported_as_one_lump_are_told_apart() -> None:
    pieces = [f"<0x{byte:02X}>" for byte in "é猫".encode()]
    assert mend_spans("é猫", [(0, 2)] * 5, pieces) == [(0, 1)] * 2 + [(1, 2)] * 3
