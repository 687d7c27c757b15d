"""A regular expression taken apart, as far as its meaning is beyond doubt."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

MOST_REPEATS = 64
DEEPEST = 4
_COUNTS = re.compile(r"\{(\d{0,4})(,?)(\d{0,4})\}")
_PROPERTY = re.compile(r"\\[pP]\{\^?\w{1,40}\}")
_NUMBERED = re.compile(r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\x\{[0-9A-Fa-f]{1,6}\}")
_GROUP = re.compile(r"\((\?:|\?[ims]{1,3}:|\?=|\?!)?")
_ONE_CHARACTER = "sSdDwWhHrntfvae"
_PLACES = "AzZbB"


class Unclear(Exception):
    """The pattern has something in it whose cost is not known here."""


@dataclass(frozen=True)
class Part:
    """One step of an alternative.

    text     without what says how often it is repeated
    least    how often it must match; most: how often it may, None without bound
    ways     in how many ways it may be tried at one place
    is_place whether it looks without taking a character: `^`, `(?!\\S)`
    """

    text: str
    least: int = 1
    most: int | None = 1
    ways: int = 1
    is_place: bool = False

    @property
    def key(self) -> tuple[str, int, int | None]:
        return self.text, self.least, self.most


def alternatives_of(pattern: str) -> list[list[Part]]:
    """The alternatives of a pattern, each a sequence of parts. Raises Unclear."""
    alternatives, end = _alternatives(pattern, 0, 0)
    if end != len(pattern):
        raise Unclear
    return alternatives


def _alternatives(pattern: str, start: int, depth: int) -> tuple[list[list[Part]], int]:
    """Up to the bracket that closes a group, or the end; and where that is."""
    if depth > DEEPEST:
        raise Unclear
    found: list[list[Part]] = [[]]
    place = start
    while place < len(pattern) and pattern[place] != ")":
        if pattern[place] == "|":
            found.append([])
            place += 1
            continue
        part, place = _part(pattern, place, depth)
        part, place = _repeated(part, pattern, place)
        found[-1].append(part)
    return found, place


def _part(pattern: str, place: int, depth: int) -> tuple[Part, int]:
    sign = pattern[place]
    if sign == "(":
        return _group(pattern, place, depth)
    if sign == "[":
        end = _end_of_set(pattern, place)
        return Part(pattern[place:end]), end
    if sign == "\\":
        end = _end_of_escape(pattern, place)
        return Part(pattern[place:end], is_place=pattern[place + 1] in _PLACES), end
    if sign in "*+?{}]":
        raise Unclear
    return Part(sign, is_place=sign in "^$"), place + 1


def _group(pattern: str, place: int, depth: int) -> tuple[Part, int]:
    match = _GROUP.match(pattern, place)
    opening = match.group() if match else "("
    if opening == "(" and pattern[place + 1 : place + 2] == "?":
        raise Unclear
    inner, end = _alternatives(pattern, place + len(opening), depth + 1)
    if end >= len(pattern):
        raise Unclear
    if any(part.most is None for parts in inner for part in parts):
        raise Unclear
    ways = sum(math.prod(part.ways for part in parts) for parts in inner)
    # A group that may take nothing is tried once more without it.
    takes_nothing = any(all(part.least == 0 or part.is_place for part in parts) for parts in inner)
    looks = opening in ("(?=", "(?!")
    if takes_nothing and not looks:
        raise Unclear
    return Part(pattern[place : end + 1], ways=ways, is_place=looks), end + 1


def _repeated(part: Part, pattern: str, place: int) -> tuple[Part, int]:
    least, most, end = _counts(pattern, place)
    if end == place:
        return part, place
    # Lazy ones are tried in another order; of `a{1,3}+` each dialect thinks something else.
    follows = pattern[end : end + 1]
    if follows in ("?", "*", "{") or (follows == "+" and pattern[place] == "{"):
        raise Unclear
    end += follows == "+"
    if part.is_place or (part.text.startswith("(") and most != 1):
        raise Unclear
    if most is None:
        return replace(part, least=least, most=None, ways=1), end
    if most > MOST_REPEATS or least > most:
        raise Unclear
    return replace(part, least=least, most=most, ways=part.ways + most - least), end


def _counts(pattern: str, place: int) -> tuple[int, int | None, int]:
    """How often the part before a place must and may match, and where that is said to the end."""
    sign = pattern[place : place + 1]
    simple: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
    if sign in simple:
        return *simple[sign], place + 1
    if sign != "{":
        return 1, 1, place
    match = _COUNTS.match(pattern, place)
    if match is None or not match[1]:
        raise Unclear
    least = int(match[1])
    if least > MOST_REPEATS:
        raise Unclear
    most = int(match[3]) if match[3] else None if match[2] else least
    return least, most, match.end()


def _end_of_set(pattern: str, start: int) -> int:
    """Behind a set in square brackets, sets within it included: it is one character whatever it says."""
    place, depth = start, 0
    while place < len(pattern):
        sign = pattern[place]
        if sign == "\\":
            place = _end_of_escape(pattern, place)
            continue
        place += 1
        if sign == "[":
            depth += 1
            place += pattern[place : place + 1] == "^"
            if pattern[place : place + 1] == "]":
                raise Unclear
        elif sign == "]":
            depth -= 1
            if depth == 0:
                return place
    raise Unclear


def _end_of_escape(pattern: str, place: int) -> int:
    for form in (_PROPERTY, _NUMBERED):
        if match := form.match(pattern, place):
            return match.end()
    sign = pattern[place + 1 : place + 2]
    if sign and (sign in _ONE_CHARACTER or sign in _PLACES or not sign.isalnum()):
        return place + 2
    raise Unclear
