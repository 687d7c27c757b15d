"""A user's regular expression, tried on words and on texts that a careless one never gets through; only in a box."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from tokenizers import Regex, pre_tokenizers

from core.errors import HeadlightError
from core.models.quoting import shown
from core.text.panics import panics_caught

LONGEST_PATTERN = 1_000
_LETTERS_TRIED = 24
_SHORT, _LONG = 32, 1_000
# Python's own engine has no limit but the box's.
_LONGEST_COMPARED, _COMPARED = 64, 500
_ESCAPE = re.compile(r"\\(?:[xu][0-9A-Fa-f{}]{2,6}|[pP]\{\^?\w+\}|\w)")


def try_pattern(argument: dict[str, Any]) -> list[str]:
    """Split many texts with a pattern. argument: {"pattern": …, "words": […]}. Returns notes.

    Raises HeadlightError, one sentence, for a pattern that the engine does not take or gives up on.
    """
    pattern, words = argument["pattern"], argument["words"]
    regex = compiled(pattern)
    isolated = pre_tokenizers.Split(regex, "isolated")
    for text in (*words, *nasty_texts(pattern)):
        split_by(isolated, text)
    matches = pre_tokenizers.Split(regex, "removed", invert=True)
    return _notes(pattern, words, matches)


def compiled(pattern: str) -> Regex:
    """The pattern as Oniguruma reads it. Raises HeadlightError where it does not, and for one that is too long."""
    if not pattern:
        raise HeadlightError("The regular expression is empty: write one.")
    if len(pattern) > LONGEST_PATTERN:
        raise HeadlightError(
            f"The regular expression has {len(pattern):,} characters and {LONGEST_PATTERN:,} are allowed: shorten it."
        )
    try:
        with panics_caught():
            return Regex(pattern)
    except Exception as error:
        raise HeadlightError(
            f"The regular expression cannot be used ({shown(_said_by(error))}): correct it."
        ) from error


def split_by(splitter: pre_tokenizers.PreTokenizer, text: str) -> list[str]:
    """The pieces of a text. Raises HeadlightError where the engine gives up."""
    try:
        with panics_caught():
            return [piece for piece, _ in splitter.pre_tokenize_str(text)]
    except Exception as error:
        raise too_many_steps(text) from error


def too_many_steps(text: str) -> HeadlightError:
    """What is said of a pattern that the engine gives up on."""
    return HeadlightError(
        f"The regular expression takes too many steps on the text “{shown(text)}”: write it so that no repetition "
        "stands within a repetition."
    )


def nasty_texts(pattern: str) -> Iterator[str]:
    """Runs of what a pattern speaks of, with something behind them on which it fails.

    All that it speaks of stands at the end, for the engine does not look where a letter that it needs is missing.
    """
    literal = _ESCAPE.sub(" ", pattern)
    letters = [*dict.fromkeys(literal[:_LETTERS_TRIED] + literal[-_LETTERS_TRIED:] + "a1 é中\u0301😀")]
    units = [*letters, *re.findall(r"\w{2,}", literal)[:_LETTERS_TRIED], *map("".join, pairwise(letters))]
    end = "".join(dict.fromkeys(literal))
    for unit in units:
        run = unit * (_SHORT // len(unit))
        yield from (run, f"{run}!{end}", f"{run}\n{end}", f"{run}\x00{end}")
    for unit in units:
        yield unit * (_LONG // len(unit)) + f"!{end}"


def _said_by(error: BaseException) -> str:
    return str(error).removeprefix("Oniguruma error: ") or type(error).__name__


def _notes(pattern: str, words: Sequence[str], matches: pre_tokenizers.PreTokenizer) -> list[str]:
    short = [word for word in words if len(word) <= _LONGEST_COMPARED][:_COMPARED]
    differing = next(_read_otherwise(pattern, short, matches), None)
    if differing is None:
        return []
    return [
        "Python's re finds other matches of the regular expression than the tokenizers library, which reads it as Ruby "
        f"does, for instance in “{shown(differing)}”."
    ]


def _read_otherwise(pattern: str, words: Iterable[str], matches: pre_tokenizers.PreTokenizer) -> Iterator[str]:
    try:
        own = re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return
    for word in words:
        if [match[0] for match in own.finditer(word) if match[0]] != split_by(matches, word):
            yield word
