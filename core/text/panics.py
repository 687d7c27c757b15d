"""Panics of libraries that are written in Rust, as errors that can be caught: by themselves they are no `Exception`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Panic(Exception):
    """A library gave up in the middle: a regular expression ran out of steps, or its files contradict one another."""


@contextmanager
def panics_caught() -> Iterator[None]:
    """A panic in the block becomes `Panic`; all else is passed on."""
    try:
        yield
    except (Exception, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise Panic(str(error)) from error
