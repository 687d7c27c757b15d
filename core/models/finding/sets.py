"""Weight files that belong together: one file, or the parts of one that was split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import HeadlightError
from core.models.finding.index import Index, index_of
from core.models.finding.looking import TOO_MUCH, Budget, Weights
from core.models.finding.results import Severity
from core.models.finding.telling import counted, quoted
from core.models.finding.walking import Entry

SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<total>\d{5})(?P<suffix>\.[a-z]+)", re.ASCII)
TOGETHER = "put it beside the others"


@dataclass(frozen=True)
class WeightSet:
    """The weight files of one model.

    stem    their name without suffix and number
    suffix  as ".safetensors"
    """

    stem: str
    suffix: str
    members: tuple[Weights, ...]

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """name -> shape over all members."""
        joined: dict[str, tuple[int, ...]] = {}
        for member in self.members:
            joined |= member.tensors
        return joined

    @property
    def is_standard(self) -> bool:
        """Whether transformers looks for files of these names."""
        return (self.stem, self.suffix) in (("model", ".safetensors"), ("pytorch_model", ".bin"))


@dataclass(frozen=True)
class Role:
    """What becomes of a file: the end of its sentence, or, for a file that is refused, all of it."""

    words: str
    severity: Severity = "info"
    refused: bool = False


@dataclass(frozen=True)
class Sets:
    """The sets of one folder, and the roles of files by their own names; both grow while files are sorted."""

    sets: list[WeightSet] = field(default_factory=list)
    roles: dict[str, Role] = field(default_factory=dict)


def sets_in(weights: Sequence[Weights], indexes: Sequence[Entry], budget: Budget) -> Sets:
    """Sort the readable weight files of one folder into sets: those that an index names, then by their names."""
    found = Sets()
    left = {weight.entry.name: weight for weight in weights}
    for entry in indexes:
        if budget.spent:
            found.roles[entry.name] = Role(TOO_MUCH, "warning")
        else:
            _take_indexed(entry, left, found)
    split: dict[tuple[str, str, str], dict[str, Weights]] = {}
    for name, weight in left.items():
        if match := SHARD.fullmatch(name):
            split.setdefault((match["stem"], match["total"], match["suffix"]), {})[match["number"]] = weight
        else:
            found.sets.append(WeightSet(Path(name).stem, weight.entry.suffix, (weight,)))
    for (stem, total, suffix), parts in split.items():
        _take_numbered(stem, suffix, int(total), parts, found)
    return found


def _take_indexed(entry: Entry, left: dict[str, Weights], found: Sets) -> None:
    """The set that an index names; its files are taken out of `left` where they are all there."""
    try:
        index = index_of(entry)
    except HeadlightError as error:
        found.roles[entry.name] = Role(str(error), "error", refused=True)
        return
    names = index.names
    if lost := next((name for name in names if name not in left), None):
        words = f"it names {quoted(lost)}, which is missing or refused, so its weights are not whole: {TOGETHER}"
        # One of whose files none is here has stayed behind from other weights.
        found.roles[entry.name] = Role(words, "error" if any(name in left for name in names) else "warning")
        unused = Role(f"not used, because {quoted(lost)} is missing or refused: {TOGETHER}", "error")
        found.roles.update({name: unused for name in names if left.pop(name, None)})
        return
    members = tuple(left.pop(name) for name in names)
    for name in [name for name in left if _is_shard_of(name, index)]:
        left.pop(name)
        found.roles[name] = Role("left out, because the index beside it does not name it")
    found.roles[entry.name] = Role(f"says which of {counted(len(names), 'file')} has which tensor")
    if lie := index.lie(members):
        words = f"it does not agree with the files ({lie}), so what they hold counts"
        found.roles[entry.name] = Role(words, "warning")
    _add(WeightSet(*index.stem, members), found)


def _take_numbered(stem: str, suffix: str, total: int, parts: Mapping[str, Weights], found: Sets) -> None:
    """The set of files that count each other in their names."""
    expected = [f"{number:05}" for number in range(1, min(total, len(parts) + 1) + 1)]
    members = [parts[number] for number in sorted(parts)]
    if gguf := [part for part in members if part.kind == "gguf"]:
        why = "one part of a file that was split: join them with llama-gguf-split --merge and bring the result"
        found.roles.update({part.entry.name: Role(why, "error") for part in gguf})
        return
    lost = next((number for number in expected if number not in parts), None)
    why = f"not used, because part {int(lost)} of {total:,} is missing or refused: {TOGETHER}" if lost else ""
    if not why and len(parts) != total:
        why = f"not used, because its number is no part of {total:,}: get the files again"
    if not why and (twice := _twice(members)):
        why = f"not used, because two parts hold {quoted(twice)} and no index says which is meant: add the index"
    if why:
        found.roles.update({part.entry.name: Role(why, "error") for part in members})
        return
    _add(WeightSet(stem, suffix, tuple(members)), found)


def _add(new: WeightSet, found: Sets) -> None:
    if len({member.path for member in new.members}) == 1:
        found.sets.append(new)
        return
    why = "not used, because the parts keep their tensors under different keys: save the model again"
    found.roles.update({member.entry.name: Role(why, "error") for member in new.members})


def _is_shard_of(name: str, index: Index) -> bool:
    match = SHARD.fullmatch(name)
    return match is not None and (match["stem"], match["suffix"]) == index.stem


def _twice(members: Sequence[Weights]) -> str | None:
    counts = Counter(name for member in members for name in member.tensors)
    return min((name for name, count in counts.items() if count > 1), default=None)
