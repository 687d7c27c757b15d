"""Which tokens form a word: the tokenizer's own words where it has them, a rule where it has none."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.characters import Span, continues, is_sign, stands_alone

_APOSTROPHES = ("'", "’")


def number_words(
    text: str, spans: Sequence[Span], lone_marks: Sequence[bool], told: Sequence[int | None], knows_words: bool
) -> list[int]:
    """The word of each token of one text, counted from 0 without gaps.

    lone_marks: tokens that are nothing but the tokenizer's sign for a space; they go with the token after them, unless
    a tokenizer that knows words parts the two.
    told: the tokenizer's own word numbers, None where it has none; where they change, a word begins.
    knows_words: whether they tell punctuation apart; where not, a word also begins at white space, and punctuation is
    a word by itself, an apostrophe inside a word aside.
    Ideographs, kana and emoji are words by themselves unless one token holds several. No word begins inside what a
    reader takes for one sign: a letter with its marks, an emoji family, a character that is split over tokens.
    """
    words: list[int] = []
    for i, span in enumerate(spans):
        before = spans[i - 1]
        apart = i > 0 and told[i] is not None and told[i - 1] is not None and told[i] != told[i - 1]
        if i == 0 or (lone_marks[i - 1] and (before[0] == before[1] or not (knows_words and apart))):
            begins = False
        elif span[0] == span[1]:
            begins = apart or lone_marks[i]
        else:
            begins = _begins(text, before, span, apart, knows_words)
        words.append((words[-1] if words else 0) + begins)
    return words


def _begins(text: str, before: Span, span: Span, apart: bool, knows_words: bool) -> bool:
    """Whether a token, which holds some character, begins a word; before: the span of the token before it."""
    start, end = span[0], before[1]
    if start < end or end == 0 or (start == end and continues(text, start)):
        return False
    if apart:
        return True
    only_space = before[0] < end and text[slice(*before)].isspace()
    if not only_space and (stands_alone(text[end - 1]) or stands_alone(text[start])):
        return True
    return not knows_words and _parted(text, end, start, only_space)


def _parted(text: str, end: int, start: int, only_space: bool) -> bool:
    """The rule: whether white space or punctuation parts a token that ends here from one that starts there."""
    last, first = text[end - 1], text[start]
    if only_space:  # spaces go with what follows them, line breaks and tabs stay alone
        return last != first if first.isspace() else last != " "
    if last.isspace() or first.isspace() or any(c.isspace() for c in text[end:start]):
        return True
    if last == first or _is_inner_apostrophe(text, start) or _is_inner_apostrophe(text, end - 1):
        return False
    return is_sign(last) or is_sign(first)


def _is_inner_apostrophe(text: str, place: int) -> bool:
    return text[place] in _APOSTROPHES and text[place - 1 : place].isalpha() and text[place + 1 : place + 2].isalpha()
