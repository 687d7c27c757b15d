"""Which regular expressions of tokenizers take a time that grows no faster than the text, proven by their form.

The engine (Oniguruma) backtracks: a pattern such as `(a+)+b` takes a time that doubles with every letter, and `a+b`
one that grows with the square of the text. The patterns of published families do neither, and all of them have one
form: alternatives, each a sequence of single characters, sets and short groups, in which nothing can fail once a
repetition without bound was entered, or in which a later alternative takes the characters that were looked at in vain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.models.checking_tokenizers.pattern_parts import Part, Unclear, alternatives_of

LONGEST_PATTERN = 20_000
# How many ways an alternative may be tried in at one place, and all alternatives together.
MOST_WAYS, MOST_WAYS_IN_ALL = 64, 1_000
SPACES = r"\s"
UP_TO_THE_LAST_SPACE = r"(?!\S)"


def is_linear(pattern: str) -> bool:
    """Whether splitting a text at a pattern provably takes a time proportional to the text.

    False says only that nothing was proven: the pattern may still be harmless.
    """
    if len(pattern) > LONGEST_PATTERN:
        return False
    try:
        alternatives = alternatives_of(pattern)
    except Unclear:
        return False
    if sum(map(_ways, alternatives)) > MOST_WAYS_IN_ALL:
        return False
    return all(_is_cheap(alternatives, place) for place in range(len(alternatives)))


def _ways(parts: Sequence[Part]) -> int:
    return math.prod(part.ways for part in parts)


def _is_cheap(alternatives: list[list[Part]], place: int) -> bool:
    before, run, after = _at_run(alternatives[place])
    if run is None:
        return _ways(before) <= MOST_WAYS
    if _ways(before) > MOST_WAYS or any(part.ways > MOST_WAYS for part in after):
        return False
    if _cannot_fail(after) or _leaves_one_space(before, run, after):
        return True
    # It may look at a whole run of characters and fail.
    first, *others = after
    return first.least <= 1 and _cannot_fail(others) and _rescued(alternatives[place + 1 :], before, run)


def _at_run(parts: list[Part]) -> tuple[list[Part], Part | None, list[Part]]:
    """What stands before the first repetition without bound, that repetition, and what stands after it."""
    for place, part in enumerate(parts):
        if part.most is None:
            return parts[:place], part, parts[place + 1 :]
    return parts, None, []


def _cannot_fail(parts: Sequence[Part]) -> bool:
    return all(part.least == 0 and not part.is_place for part in parts)


def _leaves_one_space(before: list[Part], run: Part, after: list[Part]) -> bool:
    r"""`\s+(?!\S)`: of two or more spaces it takes all, or all but the last."""
    return not before and run.text == SPACES and run.least == 1 and [p.text for p in after] == [UP_TO_THE_LAST_SPACE]


def _rescued(later: list[list[Part]], before: list[Part], run: Part) -> bool:
    """Whether the next alternatives take the run that one looked at in vain, so that nobody looks at it again."""
    for alternative in later:
        own_before, own_run, after = _at_run(alternative)
        if own_run is None or own_run.text != run.text or [p.key for p in own_before] != [p.key for p in before]:
            return False
        if _leaves_one_space(own_before, own_run, after):
            return True
        if _cannot_fail(after):
            return own_run.least <= 1
    return False
