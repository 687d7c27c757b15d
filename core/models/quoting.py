"""Names and texts out of hostile files, as a sentence may quote them: nothing unseen, nothing long."""

from __future__ import annotations

LONGEST = 60
# Unicode counts these as letters, marks and symbols, yet nobody sees them.
INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def shown(raw: str) -> str:
    """At most LONGEST characters of a text, with its middle left out; what is not seen is spelled out.

    Line breaks, marks that turn the direction of writing and lone surrogates are written as their numbers.
    """
    half = LONGEST // 2
    ends = raw if len(raw) <= LONGEST else raw[:half] + raw[-half:]
    spelled = "".join(map(_spelled, ends))
    # One that is spelled out takes up to ten characters.
    if len(raw) <= LONGEST and len(spelled) <= LONGEST:
        return spelled
    return f"{spelled[:half]}…{spelled[1 - half :]}"


def _spelled(char: str) -> str:
    if char.isprintable() and char not in INVISIBLE:
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")
