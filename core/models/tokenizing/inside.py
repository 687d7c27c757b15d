"""What is done in a box: a tokenizer built from files that nobody has checked, written, and tried."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers

from core.errors import HeadlightError
from core.models.quoting import shown
from core.models.tokenizing.asking import understood
from core.models.tokenizing.building import Built, built
from core.models.tokenizing.choices import Pattern
from core.models.tokenizing.trying import compiled, too_many_steps
from core.text.panics import panics_caught

TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"
MOST_WORDS = 2_000
_FIRST_TEXT = "a b"
# How Oniguruma says that it gave up.
_GAVE_UP = "retry-limit"


class _GaveUpError(HeadlightError):
    """A text keeps the engine of regular expressions busy for longer than it allows."""


def write(argument: dict[str, Any]) -> dict[str, list[str]]:
    """Write the two files of a choice into the working folder; returns notes, and words to try a pattern on.

    Raises HeadlightError, one sentence, for a choice that makes no tokenizer.
    """
    choice = understood(argument)
    made = built(choice)
    text = _text_of(made)
    words: list[str] = []
    if isinstance(choice, Pattern):
        # Its pattern is tried in a box of its own, whose limits are tighter.
        words = _words(made)
    else:
        _pieces(_opened(text), _FIRST_TEXT)
    Path(TOKENIZER).write_text(text, encoding="utf-8")
    Path(CONFIG).write_text(json.dumps(made.config, ensure_ascii=False, indent=2), encoding="utf-8")
    return {"notes": list(made.notes), "words": words}


def pieces(argument: dict[str, Any]) -> list[str]:
    """What the tokenizer of a choice makes of a text. argument: {"choice": …, "text": …}."""
    choice = understood(argument["choice"])
    if isinstance(choice, Pattern):
        compiled(choice.pattern)
    try:
        return _pieces(_opened(_text_of(built(choice))), argument["text"])
    except _GaveUpError as error:
        if isinstance(choice, Pattern):
            raise too_many_steps(argument["text"]) from error
        raise


def _text_of(made: Built) -> str:
    try:
        return json.dumps(made.tokenizer, ensure_ascii=False)
    except RecursionError as error:
        raise HeadlightError("The file is nested too deeply: choose another.") from error


def _opened(text: str) -> tokenizers.Tokenizer:
    try:
        with panics_caught():
            opened = tokenizers.Tokenizer.from_str(text)
            opened.no_truncation()
            opened.no_padding()
            opened.encode_special_tokens = True
            return opened
    except Exception as error:
        raise HeadlightError(
            f"The tokenizers library cannot use this tokenizer ({shown(str(error))}): choose another file."
        ) from error


def _pieces(opened: tokenizers.Tokenizer, text: str) -> list[str]:
    try:
        with panics_caught():
            return list(opened.encode(text).tokens)
    except Exception as error:
        if _GAVE_UP in str(error):
            raise _GaveUpError(
                f"A regular expression of the tokenizer takes too many steps on the text “{shown(text)}”: choose "
                "another tokenizer."
            ) from error
        raise HeadlightError(f"The tokenizer cannot read “{shown(text)}” ({shown(str(error))}): change it.") from error


def _words(made: Built) -> list[str]:
    """The longest of its words, and others."""
    words = sorted(made.tokenizer["model"]["vocab"], key=len, reverse=True)
    return words[: MOST_WORDS // 2] + words[MOST_WORDS // 2 :: max(1, len(words) // (MOST_WORDS // 2))]
