import unicodedata

import pytest
from hypothesis import given

from core.text import TextEncoder
from core.text.labels import make_labels, shortened, visible
from tests.text.strategies import ANY_CHARACTER


def test_an_emoji_split_over_byte_tokens_is_numbered() -> None:
    assert make_labels("😀", [(0, 1)] * 3, ["ðŁ", "ĺ", "Ģ"]) == ["😀[1/3]", "😀[2/3]", "😀[3/3]"]


def test_each_byte_token_of_an_unseen_emoji_says_which_part_it_is(bytewise: TextEncoder) -> None:
    labels = bytewise.encode("🦔").labels
    assert labels == tuple(f"🦔[{i}/{len(labels)}]" for i in range(1, len(labels) + 1))
    assert len(labels) > 1


def test_a_whole_emoji_of_one_token_is_not_numbered(bytewise: TextEncoder) -> None:
    assert bytewise.encode("emoji 😀").labels[-1].lstrip("␣") in ("😀", "😀[2/2]")


def test_a_token_that_ends_one_character_and_begins_the_next_says_both() -> None:
    assert make_labels("追老", [(0, 2), (1, 2)], ["x", "y"]) == ["追老[1/2]", "老[2/2]"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (" cat", "␣cat"),
        ("\t", "⇥"),
        ("\n", "⏎"),
        ("\r", "␍"),
        ("\u00a0", "⍽"),
        ("\u3000", "□"),
        ("\u2003", "⟨U+2003⟩"),
        ("\x00", "⟨U+0000⟩"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066", "⟨U+2066⟩"),
        ("\u200b", "⟨U+200B⟩"),
        ("\ufeff", "⟨U+FEFF⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("\u200d", "⟨U+200D⟩"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\u0301", "◌\u0301"),
        ("\u0301e", "◌\u0301e"),
        ("e\u0301", "e\u0301"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("</script>", "</script>"),
        ("**b** $x$", "**b**␣$x$"),
    ],
)
def test_what_the_eye_would_miss_is_made_visible(text: str, label: str) -> None:
    assert visible(text) == label


@given(ANY_CHARACTER)
def test_no_label_of_one_character_is_blank_or_turns_the_text_around(character: str) -> None:
    shown = visible(character)
    assert shown
    assert not shown.isspace()
    assert unicodedata.category(shown[0]) not in ("Cc", "Cf", "Zl", "Zp", "Zs")
    assert shown in (character, f"◌{character}") or "⟨" in shown or len(shown) == 1


def test_spaces_tabs_and_newlines_show_in_byte_level_labels(bytewise: TextEncoder) -> None:
    tokens = bytewise.encode("  the\tcat\n sat ")
    assert "".join(tokens.labels) == "␣␣the⇥cat⏎␣sat␣"


def test_bidi_controls_show_in_byte_level_labels(bytewise: TextEncoder) -> None:
    assert set(bytewise.encode("\u202e").labels) == {"⟨U+202E⟩[1/3]", "⟨U+202E⟩[2/3]", "⟨U+202E⟩[3/3]"}


def test_signs_of_vocabularies_are_shown_where_the_user_typed_them(wordpiece: TextEncoder, bytewise: TextEncoder):
    assert "".join(wordpiece.encode("##ing Ġ").labels[1:-1]) == "##ingĠ"
    assert bytewise.encode("##").labels in (("##",), ("#", "#"))
    assert bytewise.encode("Ġ").labels == ("Ġ[1/2]", "Ġ[2/2]")


def test_a_token_without_characters_shows_its_piece() -> None:
    assert make_labels("a", [(0, 0), (0, 1), None], ["Ġ", "a", "</s>"], "Ġ") == ["⟨␣⟩", "a", "</s>"]


def test_a_joiner_or_mark_that_is_split_is_shown_for_what_it_is() -> None:
    assert make_labels("a\u200d", [(0, 1), (1, 2), (1, 2)], ["a", "x", "y"])[1:] == ["⟨U+200D⟩[1/2]", "⟨U+200D⟩[2/2]"]
    assert make_labels("e\u0301", [(0, 1), (1, 2), (1, 2)], ["e", "x", "y"])[1:] == ["◌\u0301[1/2]", "◌\u0301[2/2]"]


def test_a_very_long_label_is_cut_and_says_how_much_is_missing() -> None:
    text = "x" * 1_000
    assert make_labels(text, [(0, 1_000)], ["[UNK]"]) == ["x" * 400 + "…[600 more]"]
    assert make_labels(text[:400], [(0, 400)], ["[UNK]"]) == ["x" * 400]


def test_a_long_label_is_cut_where_a_reader_sees_two_characters():
    assert shortened("short", 5) == "short"
    assert shortened("longer", 5) == "long…"
    family = "👩\u200d👩\u200d👧"
    assert shortened("ab" + family + "cd", 6) == "ab…"
    assert shortened("e\u0301" * 4, 4) == "e\u0301…"
