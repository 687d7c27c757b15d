"""What an encoder-decoder's text is made to begin with, checked before the model goes on from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from numbers import Integral
from typing import Any

from core.errors import HeadlightError
from core.models.known_ids import vocabulary_of


def checked_prefix(
    prefix: Sequence[int], network: Any, ends: Collection[int], longest: int, name: str
) -> tuple[int, ...]:
    """The same ids. Raises HeadlightError where a model called `name` cannot go on from them.

    ends: ids that end a text; such a one may stand last, and nothing is written then.
    longest: how many tokens the model may say in all.
    """
    size = vocabulary_of(network.config)
    strange = [token for token in prefix if not _is_whole(token) or not 0 <= token < size]
    if strange:
        raise HeadlightError(
            f"{name} has no token with the number {strange[0]!r}: give a beginning in numbers from 0 to {size - 1:,}."
        )
    if any(token in ends for token in prefix[:-1]):
        raise HeadlightError("The beginning goes on after the token that ends a text: leave out what follows it.")
    goes_on = bool(prefix) and prefix[-1] not in ends
    if len(prefix) + goes_on > longest:
        raise HeadlightError(
            f"The beginning fills all {longest:,} tokens that {name} can write: leave some of its end out."
        )
    return tuple(prefix)


def _is_whole(token: object) -> bool:
    return isinstance(token, Integral) and not isinstance(token, bool)
