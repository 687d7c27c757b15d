"""Texts on which a tokenizer is tried before it reads a user's: short ones, and those that hurt."""

from __future__ import annotations

LENGTH = 4_000
_SHORT = "The cat sat on the mat, didn't it?  Naïve café №42!\n\tdef f(x): return x_1 + 2.5e-3"
_SCRIPTS = "Ελληνικά русский العَرَبِيَّة עברית हिन्दी ไทย 中文字符 日本語かな 한국어 e\u0301\u200d\u202e\ufeff\x00 ﬁ ½ ⅷ"
_EMOJI = "😀👩‍👩‍👧🇩🇪👍🏽"

# What sentences call a text, and the text.
TRIALS = (
    ("a short text", _SHORT),
    ("a text in many scripts", _SCRIPTS),
    ("a text of emoji", _EMOJI * 100),
    ("a short word of one letter", "a" * 40),
    ("a word of one letter", "a" * LENGTH),
    ("a word of one capital letter", "A" * LENGTH),
    ("a word of one letter and a sign", "a" * LENGTH + "!"),
    ("a text of spaces", " " * LENGTH + "x"),
    ("a text of line breaks", "\n" * LENGTH),
    ("a number of many digits", "1" * LENGTH),
    ("a word of punctuation", "!" * LENGTH),
    ("a word of one foreign letter", "é" * LENGTH),
    ("a text of Chinese", "中" * LENGTH),
    ("a text of words", "ab " * (LENGTH // 3)),
    ("a text of mixed signs", "aB1 .\n" * (LENGTH // 6)),
)
