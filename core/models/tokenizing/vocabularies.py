"""Lists of tokens in files that nobody has checked; to be read in a box, for a parser of JSON takes much memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.models.checking_files.telling import Wrong, distrusted, quoted
from core.models.tokenizing.meta import is_meta, pairs_in

MOST_NBYTES = 64_000_000
MOST_ENTRIES = 2_000_000
HIGHEST_ID = 10_000_000
LONGEST_TOKEN = 1_000
_COUNTED = re.compile(r"\S+[ \t]+-?[0-9]+(\.[0-9]+)?")
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_AS_UTF8 = "save it as UTF-8"


@dataclass(frozen=True)
class Read:
    """Tokens with their ids, and sentences on what is odd about them."""

    ids: dict[str, int]
    notes: tuple[str, ...] = ()


def read_vocabulary(path: Path) -> Read:
    """The tokens of a file: {token: id} or a list in a .json file, one token a line in others, from id 0 on.

    nanoGPT's meta.pkl is read as plain data. Blank lines have an id and no token.
    Raises HeadlightError, one sentence, for what is wrong with the file.
    """
    data = read_bounded(path)
    with distrusted(path):
        if path.suffix.lower() == ".json":
            return _of_json(data)
        return _of_pairs(pairs_in(data)) if is_meta(path) else _of_lines(data)


def of_tokens(tokens: Sequence[str], place: str = "entries") -> Read:
    """Tokens in the order of their ids; blank ones at the end have none.

    place: what two equal ones are said to stand in. Raises Wrong.
    """
    if len(tokens) > MOST_ENTRIES:
        raise Wrong(f"it has {len(tokens):,} tokens and {MOST_ENTRIES:,} are allowed", "choose another vocabulary")
    last = next((number for number in range(len(tokens), 0, -1) if tokens[number - 1]), 0)
    tokens = tokens[:last]
    ids: dict[str, int] = {}
    for number, token in enumerate(tokens):
        if token and token in ids:
            raise Wrong(
                f"{quoted(token)} stands in it twice, in the {place} {ids[token] + 1:,} and {number + 1:,}",
                "take one of the two out, or put another token in its place",
            )
        if token:
            ids[_checked(token)] = number
    blank = len(tokens) - len(ids)
    said = "1 blank entry has an id" if blank == 1 else f"{blank:,} blank entries have ids"
    return Read(_not_empty(ids), (f"In the vocabulary {said} and no token.",) if blank else ())


def read_bounded(path: Path) -> bytes:
    """A file's bytes. Raises HeadlightError where they are more than MOST_NBYTES, before they are read."""
    with distrusted(path) as (file, nbytes):
        if nbytes > MOST_NBYTES:
            raise Wrong(
                f"it has {nbytes / 1e6:,.0f} MB and a vocabulary may have {MOST_NBYTES / 1e6:,.0f}",
                "choose the file with the vocabulary only",
            )
        return file.read(MOST_NBYTES)


def text_of(data: bytes) -> str:
    """UTF-8, with or without a byte order mark. Raises Wrong for other encodings."""
    if data[:2] in _OTHER_ENCODINGS:
        raise Wrong(f"it is written in {_OTHER_ENCODINGS[data[:2]]}", _AS_UTF8)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Wrong(f"it is no UTF-8: line {line:,} holds the byte 0x{data[error.start]:02X}", _AS_UTF8) from error


def lines_of(data: bytes) -> list[str]:
    """Lines without their ends; what follows the last end is a line if it is not empty.

    Only line feeds end a line: other signs that Python counts as such may be tokens. A carriage return belongs to the
    end if every line has one.
    """
    if data.count(b"\n") > MOST_ENTRIES:
        raise Wrong(f"it has more than {MOST_ENTRIES:,} lines", "choose another vocabulary")
    lines = text_of(data).split("\n")
    last = lines.pop()
    if lines and all(line.endswith("\r") for line in lines):
        lines, last = [line[:-1] for line in lines], last.removesuffix("\r")
    return [*lines, last] if last else lines


def _of_lines(data: bytes) -> Read:
    lines = lines_of(data)
    if len(lines) > 1 and all(map(_COUNTED.fullmatch, lines)):
        raise Wrong(
            "each of its lines holds a token and a number", "leave nothing but the tokens, in order of their ids"
        )
    return of_tokens(lines, "lines")


def _of_json(data: bytes) -> Read:
    try:
        told = json.loads(text_of(data), object_pairs_hook=_Pairs)
    except RecursionError as error:
        raise Wrong("it is nested too deeply", "choose another vocabulary") from error
    except ValueError as error:
        raise Wrong("it is no JSON") from error
    if isinstance(told, _Pairs):
        return _of_pairs(told)
    if isinstance(told, list) and all(isinstance(token, str) for token in told):
        return of_tokens(told)
    raise Wrong('it is neither {"token": id, …} nor a list of tokens', "choose another vocabulary")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its keys, so that none is lost that stands there twice."""


def _of_pairs(pairs: Iterable[tuple[str, Any]]) -> Read:
    ids: dict[str, int] = {}
    owners: dict[int, str] = {}
    for token, number in pairs:
        if type(number) is not int or not 0 <= number <= HIGHEST_ID:
            raise Wrong(
                f"the id of {quoted(token)} is no whole number from 0 to {HIGHEST_ID:,}", "choose another vocabulary"
            )
        if token in ids:
            raise Wrong(f"{quoted(token)} stands in it twice", "take one of the two out")
        if number in owners:
            raise Wrong(
                f"{quoted(owners[number])} and {quoted(token)} have the same id {number:,}",
                "give one of them another id",
            )
        ids[_checked(token) if token else token], owners[number] = number, token
    if len(ids) > MOST_ENTRIES:
        raise Wrong(f"it has {len(ids):,} tokens and {MOST_ENTRIES:,} are allowed", "choose another vocabulary")
    ids.pop("", None)
    return Read(_not_empty(ids), _on_gaps(ids))


def _on_gaps(ids: dict[str, int]) -> tuple[str, ...]:
    missing = max(ids.values(), default=-1) + 1 - len(ids)
    if not missing:
        return ()
    taken = set(ids.values())
    first = next(number for number in range(len(ids) + 1) if number not in taken)
    said = "1 id has" if missing == 1 else f"{missing:,} ids have"
    return (f"In the vocabulary {said} no token, the first of them {first:,}.",)


def _checked(token: str) -> str:
    if len(token) > LONGEST_TOKEN:
        raise Wrong(
            f"the token {quoted(token)} has {len(token):,} characters and {LONGEST_TOKEN:,} are allowed",
            "choose another vocabulary",
        )
    if any("\ud800" <= character <= "\udfff" for character in token):
        raise Wrong(f"the token {quoted(token)} holds half a character", _AS_UTF8)
    return token


def _not_empty(ids: dict[str, int]) -> dict[str, int]:
    if not ids:
        raise Wrong("there is no token in it", "choose another vocabulary")
    return ids
