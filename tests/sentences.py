"""What every HeadlightError keeps to, and a way to catch one."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.errors import HeadlightError


def is_one_sentence(message: str) -> bool:
    """One line that begins somewhere, ends with a full stop and has no second sentence in it."""
    return bool(message) and "\n" not in message and message.endswith(".") and not re.search(r"[.!?]\s+[A-Z]", message)


@contextmanager
def refused(*words: str) -> Iterator[None]:
    """The block must raise a HeadlightError of one sentence that holds these words."""
    with pytest.raises(HeadlightError) as caught:
        yield
    message = str(caught.value)
    assert is_one_sentence(message), message
    for word in words:
        assert word in message
