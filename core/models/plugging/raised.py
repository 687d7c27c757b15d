"""Errors that a user's own code raises, each turned into one sentence that names the line and no path."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import HeadlightError
from core.models.quoting import shown

_PATH = re.compile(r"(?:[^\s'\"]*[/\\])+([^\s'\"/\\]*)")


@contextmanager
def raised_in(file: str, what: str) -> Iterator[None]:
    """Whatever is raised inside becomes the sentence “{what} {error} in line {n} of {file}: …”.

    file: the name of the plugin's file. Sentences of our own pass as they are, and so does a lack of memory, which
    others word. The whole error is logged for who runs the server.
    """
    try:
        yield
    except (HeadlightError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if "OutOfMemory" in type(error).__name__ or "allocate memory" in str(error):
            raise
        logging.getLogger(__name__).warning("%s raised", file, exc_info=error)
        raise HeadlightError(f"{what} {described(error, file)}; the server's log has it whole.") from error


def described(error: BaseException, file: str) -> str:
    """An error by its kind, the line of the file that it comes from and its message, whose paths lose their folders."""
    line = next((f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if _is(f.filename, file)), None)
    if isinstance(error, SyntaxError):
        line = error.lineno
    where = "" if line is None else f" in line {line} of {shown(file)}"
    message = _PATH.sub(r"\1", next(iter(str(error).splitlines()), "")).strip().rstrip(".")
    return f"{type(error).__name__}{where}" + (f" (“{shown(message)}”)" if message else "")


def _is(path: str, file: str) -> bool:
    return Path(path).name == file
