import pytest

from core.text import TextEncoder
from core.text.words import number_words


def words_of(text: str, cuts: list[int], told: list[int | None] | None = None, knows: bool = False) -> list[str]:
    """The words of a text whose tokens end at the cuts."""
    spans = list(zip([0, *cuts], [*cuts, len(text)], strict=True))
    numbers = number_words(text, spans, [False] * len(spans), told or [None] * len(spans), knows)
    found = [""] * (numbers[-1] + 1)
    for number, span in zip(numbers, spans, strict=True):
        found[number] += text[slice(*span)]
    return found


def by_character(text: str) -> list[str]:
    return words_of(text, list(range(1, len(text))))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat", ["the", " cat"]),
        ("cat.", ["cat", "."]),
        ("wait...!?", ["wait", "...", "!", "?"]),
        ("don't", ["don't"]),
        ("d’accord 'a'", ["d’accord", " '", "a", "'"]),
        ("well-known", ["well", "-", "known"]),
        ("x1 2024", ["x1", " 2024"]),
        ("a   b", ["a", "   b"]),
        ("a\n\tb", ["a", "\n", "\t", "b"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("我爱you", ["我", "爱", "you"]),
        ("かな가나", ["か", "な", "가나"]),
        ("🧑‍🌾💩💩", ["🧑‍🌾", "💩", "💩"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("क्षि भाषा", ["क्षि", " भाषा"]),
        ("العربية", ["العربية"]),
        ("a_b", ["a", "_", "b"]),
    ],
)
def test_the_rule_for_tokenizers_without_words(text: str, words: list[str]) -> None:
    assert by_character(text) == words


def test_what_a_token_groups_stays_together() -> None:
    assert words_of("我爱你", [2]) == ["我爱", "你"]
    assert words_of("cat. The", [1]) == ["cat. The"]


def test_the_tokenizers_own_words_come_first() -> None:
    assert words_of("don't", [3], told=[0, 1], knows=True) == ["don", "'t"]
    assert words_of("a.b", [1, 2], told=[0, 0, 0], knows=True) == ["a.b"]
    assert words_of("我爱", [1], told=[0, 0], knows=True) == ["我", "爱"]
    assert words_of("e\u0301", [1], told=[0, 1], knows=True) == ["e\u0301"]


def test_the_last_word_needs_no_end_token(encoders: dict[str, TextEncoder]) -> None:
    for setup in ("llama", "gpt2", "qwen", "gemma"):
        merged = encoders[setup].encode("the phenomenal world").merged()
        assert merged.labels == ("the", "␣phenomenal", "␣world")
        assert merged.members[-1][-1] == len(encoders[setup].encode("the phenomenal world")) - 1


def test_a_cut_word_keeps_what_was_read(wordpiece: TextEncoder) -> None:
    cut = TextEncoder(wordpiece.reader, wordpiece.unknown_id, max_length=3).encode("tokenization")
    assert cut.merged().labels == ("[CLS]", "token", "[SEP]")
