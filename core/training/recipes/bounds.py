"""What the values of a recipe may be: each check raises one sentence with the name, the value and what to choose."""

from __future__ import annotations

from collections.abc import Collection

from core.errors import HeadlightError

# Pieces or words of a vocabulary: room for the special tokens and some letters, and no more than fits beside a network.
VOCABULARY = (16, 200_000)
# Tokens of one text: a table of positions has a row for each, and attention the square of them.
LONGEST = (3, 4096)


def between(name: str, value: int, bounds: tuple[int, int]) -> None:
    """Raise HeadlightError unless a whole number lies within its bounds, both included."""
    least, most = bounds
    if not least <= value <= most:
        raise HeadlightError(f"{name} is {value}: choose a whole number from {least:,} to {most:,}.")


def share(name: str, value: float) -> None:
    """Raise HeadlightError unless a number is at least 0 and below 1."""
    if not 0 <= value < 1:
        raise HeadlightError(f"{name} is {value}: choose a share from 0 up to, but not, 1.")


def up_to(name: str, value: float, most: float) -> None:
    """Raise HeadlightError unless a number is at least 0 and at most `most`."""
    if not 0 <= value <= most:
        raise HeadlightError(f"{name} is {value}: choose a number from 0 to {most:g}.")


def held_out(**shares: float) -> None:
    """Raise HeadlightError unless each share leaves something out and all of them leave something to learn from.

    A share that may be 0 is to be left out where it is.
    """
    for name, value in shares.items():
        if not 0 < value < 1:
            raise HeadlightError(f"{name} is {value}: choose a share above 0 and below 1.")
    if sum(shares.values()) >= 1:
        raise HeadlightError(f"{' and '.join(shares)} leave nothing to learn from: choose shares that sum to below 1.")


def one_of(name: str, value: str, allowed: Collection[str]) -> None:
    """Raise HeadlightError unless a value is among those allowed."""
    if value not in allowed:
        raise HeadlightError(f"{name} is “{value}”: choose one of {', '.join(allowed)}.")
