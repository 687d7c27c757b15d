"""What the sizes of every in-house architecture have in common."""

from __future__ import annotations

from core.errors import HeadlightError


def require_sizes(**sizes: object) -> None:
    """Raise HeadlightError, one sentence, for the first size that is no whole number of 1 or more."""
    for name, size in sizes.items():
        if type(size) is not int or size < 1:
            raise HeadlightError(f"{name} is {size!r}, which is no size: give a whole number of 1 or more.")


def require_share(name: str, value: object) -> None:
    """Raise HeadlightError, one sentence, for what is no number from 0 up to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise HeadlightError(f"{name} is {value!r}, which is no share: give a number from 0 to 1.")
