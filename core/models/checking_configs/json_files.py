"""JSON out of hostile files: bounded in bytes and depth, every name once, every number finite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_files.telling import Wrong, distrusted, quoted, require_nbytes

DEEPEST = 16
# Python's own bound for turning digits into a number; longer ones take a time that grows with their square.
_LONGEST_NUMBER = 400


def json_in(path: Path, most_nbytes: int, deepest: int = DEEPEST) -> Any:
    """What a JSON file says. Raises HeadlightError, one sentence, for one that is too large, too deep or no JSON."""
    with distrusted(path) as (file, nbytes):
        require_nbytes(nbytes, most_nbytes)
        return parsed(file.read(most_nbytes + 1), deepest)


def parsed(data: bytes, deepest: int = DEEPEST) -> Any:
    """What the bytes of a JSON text say, or Wrong."""
    try:
        value = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_int=_whole_number,
            parse_float=_fraction,
        )
    except RecursionError as error:
        raise Wrong(f"it is nested deeper than {deepest} levels") from error
    except ValueError as error:
        raise Wrong("it is no JSON in UTF-8") from error
    if _is_deeper(value, deepest):
        raise Wrong(f"it is nested deeper than {deepest} levels")
    return value


def object_in(path: Path, most_nbytes: int, deepest: int = DEEPEST) -> dict[str, Any]:
    """The JSON object of a file; see `json_in`."""
    value = json_in(path, most_nbytes, deepest)
    if isinstance(value, dict):
        return value
    with distrusted(path):
        raise Wrong("it holds no JSON object")


def object_or_nothing(path: Path, most_nbytes: int, deepest: int = DEEPEST) -> dict[str, Any]:
    """The same; {} for a file that is not there, too long or something else: for what is only told and never needed."""
    try:
        return object_in(path, most_nbytes, deepest)
    except HeadlightError:
        return {}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of its pairs; a library may take the first of two values and another one the last."""
    found = dict(pairs)
    if len(found) != len(pairs):
        for name, value in pairs:
            if found[name] != value:
                raise Wrong(f"it says {quoted(name)} twice, with different values")
    return found


def _no_number(name: str) -> float:
    raise Wrong(f"it holds {name}, which is no finite number")


def _whole_number(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise Wrong(f"it holds a number of {len(digits):,} digits")
    return int(digits)


def _fraction(digits: str) -> float:
    value = float(digits)
    if abs(value) == float("inf"):
        raise Wrong(f"it holds {quoted(digits)}, which is no finite number")
    return value


def _is_deeper(value: Any, deepest: int) -> bool:
    """Whether lists and objects lie in one another more than so many levels deep; level by level, not by recursion."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(deepest):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
