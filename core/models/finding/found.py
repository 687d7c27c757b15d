"""Looking through a folder, or at one file with what belongs to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.checking_files.pickled_header import is_zipped
from core.models.finding import naming
from core.models.finding.absence import why_none
from core.models.finding.alone import with_companions
from core.models.finding.calling import told_apart
from core.models.finding.candidates import candidates_in
from core.models.finding.choosing import chosen, is_adapter
from core.models.finding.contents import Contents, Parts
from core.models.finding.looking import TOO_MUCH, Budget, Weights, looked_into
from core.models.finding.others import as_found, looked_at, refused
from core.models.finding.results import FileKind, Found, FoundFile
from core.models.finding.sets import Role, Sets, WeightSet, sets_in
from core.models.finding.walking import Entry, walked
from core.models.folders import WEIGHTS
from core.models.intake import is_archive
from core.models.quoting import shown

SECONDS_BETWEEN_REPORTS = 0.1


def found(place: Path, job: Job | None = None) -> Found:
    """What lies in a folder and all folders below it: every file in a sentence, and the models that they make up.

    place: a folder, or one file, which is then looked at with the other parts of its model that lie beside it.
    job: told of each file; its `Cancelled` ends the search.
    Raises HeadlightError where there is neither. Whatever a file holds, it becomes a sentence.
    """
    folder, entries, said = _listed(place)
    contents: dict[Parts, Contents] = {}
    budget = Budget()
    report = _report(job, len(entries))
    for number, entry in enumerate(entries):
        report(number, entry)
        own = contents.setdefault(entry.folder, Contents(folder.joinpath(*entry.folder), entry.folder))
        _look(entry, own, budget)
    offered: dict[Parts, tuple[Sets, Sequence[WeightSet]]] = {}
    for parts, own in contents.items():
        sets = sets_in(own.weights, own.indexes, budget)
        offered[parts] = sets, chosen(sets)
    candidates = told_apart(candidates_in(folder, offered, contents), folder)
    for parts, own in contents.items():
        own.files.update(_with_roles(own, *offered[parts]))
    files = (*(contents[entry.folder].files[entry.name] for entry in entries), *said)
    return Found(folder, files, candidates, "" if candidates else why_none(files))


def _listed(place: Path) -> tuple[Path, list[Entry], list[FoundFile]]:
    try:
        if place.is_dir():
            return place, *walked(place)
        if place.is_file():
            return place.parent, with_companions(place), []
    except OSError:
        pass
    raise HeadlightError(f"“{shown(place.name)}” is not there, or cannot be read: check the path.")


def _report(job: Job | None, total: int) -> Callable[[int, Entry], None]:
    """What tells a job of a file, not more often than a person can read, and lets it stop the search."""
    told_at = 0.0

    def report(number: int, entry: Entry) -> None:
        nonlocal told_at
        if job is None:
            return
        job.check()
        if time.monotonic() - told_at >= SECONDS_BETWEEN_REPORTS:
            told_at = time.monotonic()
            job.advance(number, total, f"looking into {shown(entry.name)}")

    return report


def _look(entry: Entry, own: Contents, budget: Budget) -> None:
    """Look into one file and note in its folder what it is."""
    known = naming.known_by_name(entry.name)
    if known is None and budget.spent:
        own.files[entry.name] = as_found(entry, "other", TOO_MUCH, "warning")
        return
    if known is None and entry.name.endswith(naming.INDEX):
        own.indexes.append(entry)
    if known is None and (entry.suffix in WEIGHTS or _is_checkpoint(entry)):
        looked = looked_into(entry, budget)
        if isinstance(looked, Weights):
            own.weights.append(looked)
        else:
            own.files[entry.name] = looked
        return
    own.files[entry.name], settings = looked_at(entry)
    if settings is None:
        return
    if entry.name == naming.CONFIG:
        own.config = settings
    elif entry.name == naming.ADAPTER_CONFIG:
        own.adapter = settings
    elif entry.name == naming.TRAINING:
        own.training = settings
    else:
        own.tokenizer = settings


def _is_checkpoint(entry: Entry) -> bool:
    """Whether it is what torch.save writes in spite of its name's end."""
    try:
        return entry.suffix in naming.SOMETIMES_WEIGHTS and is_zipped(entry.path) and not is_archive(entry.path)
    except HeadlightError:
        return False


def _with_roles(own: Contents, sets: Sets, offered: Sequence[WeightSet]) -> Mapping[str, FoundFile]:
    """What is said of the weights and indexes of a folder, now that it is known what becomes of each."""
    adapters = {member.entry.name for one in sets.sets if is_adapter(one) for member in one.members}
    told: dict[str, FoundFile] = {}
    for entry, kind, words in _told(own, adapters):
        role = sets.roles.get(entry.name, Role("left out"))
        joined = f"{words}: {role.words}" if words else role.words
        told[entry.name] = refused(entry, role.words) if role.refused else as_found(entry, kind, joined, role.severity)
    return told


def _told(own: Contents, adapters: set[str]) -> list[tuple[Entry, FileKind, str]]:
    weights: list[tuple[Entry, FileKind, str]] = [
        (weight.entry, "adapter" if weight.entry.name in adapters else weight.kind, weight.words)
        for weight in own.weights
    ]
    return weights + [(entry, "index", "") for entry in own.indexes]
