"""How the readers refuse a file: one sentence that says what was wrong, with what the file says escaped and short."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.errors import HeadlightError
from core.models.quoting import shown

AGAIN = "get the file again"


class Wrong(Exception):
    """What is wrong with a file, and what to do about it, as two parts of a sentence."""

    def __init__(self, what: str, cure: str = AGAIN) -> None:
        super().__init__(what)
        self.what, self.cure = what, cure


def quoted(text: str) -> str:
    """A text out of a file in quotes, see `core.models.quoting.shown`."""
    return f"“{shown(text)}”"


def require_nbytes(nbytes: int, most: int) -> None:
    """Raise Wrong for a file of more bytes than are allowed."""
    if nbytes > most:
        raise Wrong(f"it has {nbytes / 1e6:,.1f} MB and {most / 1e6:,.0f} MB are allowed")


@contextmanager
def distrusted(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """A file open for reading, and its size in bytes; whatever goes wrong in the block becomes one HeadlightError."""
    try:
        # Not blocking, for a pipe would never open.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            said = os.fstat(file.fileno())
            if not stat.S_ISREG(said.st_mode):
                raise Wrong("it is no regular file")
            yield file, said.st_size
    except Wrong as wrong:
        raise _refusal(path, wrong) from wrong
    except OSError as error:
        raise _refusal(path, Wrong("it cannot be read from the disk")) from error
    except MemoryError as error:
        raise _refusal(path, Wrong("reading its header takes more memory than there is")) from error
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise _refusal(path, Wrong("it is damaged")) from error


def _refusal(path: Path, wrong: Wrong) -> HeadlightError:
    return HeadlightError(f"The file {quoted(path.name)} is not opened, because {wrong.what}: {wrong.cure}.")
