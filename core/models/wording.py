"""Errors of the libraries, each turned into one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import HeadlightError


def continued(sentence: str) -> str:
    """A sentence as the second half of another."""
    return sentence[:1].lower() + sentence[1:]


@contextmanager
def worded(sentence: str) -> Iterator[None]:
    """Broken or hostile files make the libraries raise errors of any kind: each becomes this sentence."""
    try:
        yield
    except HeadlightError:
        raise
    except Exception as error:
        raise HeadlightError(sentence) from error
