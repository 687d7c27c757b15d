"""Whether a text or JSON file may be a vocabulary, told from its beginning."""

from __future__ import annotations

from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.json_files import json_in
from core.models.finding.walking import Entry

LARGEST = 64 << 20
_LONGEST_JSON = 4_000_000
_START = 1 << 16
_LONGEST_LINE = 200
_FEWEST = 2
# Of a list of words nearly every line is one word, with its score or count behind a tab.
_SHARE = 0.9


def lines_in(entry: Entry) -> int | None:
    """How many lines a list of words has; None for a file that is none: prose, settings, bytes."""
    if not 0 < entry.nbytes <= LARGEST:
        return None
    try:
        with entry.path.open("rb") as file:
            start = file.read(_START)
            if not _lists_words(start, cut=entry.nbytes > len(start)):
                return None
            count = start.count(b"\n") + sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
            file.seek(-1, 2)
            return count + (file.read(1) != b"\n")
    except OSError:
        return None


def entries_in(entry: Entry) -> int | None:
    """How many entries a JSON file has that gives ids to tokens, or lists tokens; None for any other."""
    try:
        said = json_in(entry.path, _LONGEST_JSON)
    except HeadlightError:
        return None
    return len(said) if _gives_ids(said) or _lists_tokens(said) else None


def _lists_words(start: bytes, cut: bool) -> bool:
    if b"\0" in start:
        return False
    if cut:
        start = start.rpartition(b"\n")[0]
    try:
        lines = [line for line in start.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        return False
    if len(lines) < _FEWEST or max(map(len, lines)) > _LONGEST_LINE:
        return False
    words = sum(len(line.partition("\t")[0].split()) <= 1 for line in lines)
    return words >= _SHARE * len(lines)


def _gives_ids(said: Any) -> bool:
    return isinstance(said, dict) and len(said) >= _FEWEST and all(type(value) is int for value in said.values())


def _lists_tokens(said: Any) -> bool:
    return isinstance(said, list) and len(said) >= _FEWEST and all(isinstance(value, str) for value in said)
