"""The index of weights that were split over several files, held against what the files hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.models.checking_configs.json_files import parsed
from core.models.checking_files.entries import MOST_TENSORS
from core.models.checking_files.telling import Wrong, distrusted
from core.models.finding.looking import Weights
from core.models.finding.naming import INDEX
from core.models.finding.telling import quoted
from core.models.finding.walking import Entry

# One line a tensor: that of a model with 90,000 tensors has 9 MB.
LONGEST = 1 << 24
_DEEPEST = 3
# Beside the tensors there are a few totals.
_MOST_COMMAS = MOST_TENSORS + 1_000


@dataclass(frozen=True)
class Index:
    """What an index says. places: the file of each tensor, by its name."""

    entry: Entry
    places: Mapping[str, str]

    @property
    def stem(self) -> tuple[str, str]:
        """The name that its files have before their numbers, and their suffix."""
        named = Path(self.entry.name[: -len(INDEX)])
        return named.stem, named.suffix

    @property
    def names(self) -> list[str]:
        """The files that it names."""
        return sorted(set(self.places.values()))

    def lie(self, members: Sequence[Weights]) -> str:
        """The first tensor that is not where it says, or that it does not name; "" where all agree."""
        held = {(name, member.entry.name) for member in members for name in member.tensors}
        told = set(self.places.items())
        if odd := min(told - held, default=None):
            return f"{quoted(odd[0])} is not in {quoted(odd[1])}"
        if odd := min(held - told, default=None):
            return f"it does not name {quoted(odd[0])} of {quoted(odd[1])}"
        return ""


def index_of(entry: Entry) -> Index:
    """Read an index. Raises HeadlightError where it is damaged, and where it names files elsewhere."""
    with distrusted(entry.path) as (file, nbytes):
        if nbytes > LONGEST:
            raise Wrong(f"it has {nbytes:,} bytes and {LONGEST:,} are allowed")
        raw = file.read(LONGEST)
        if raw.count(b",") > _MOST_COMMAS or raw.count(b"[") + raw.count(b"{") > _MOST_COMMAS:
            raise Wrong(f"it names more than the {MOST_TENSORS:,} tensors that are allowed")
        said = parsed(raw, _DEEPEST)
        places = said.get("weight_map") if isinstance(said, dict) else None
        if not isinstance(places, dict) or not places or not all(isinstance(name, str) for name in places.values()):
            raise Wrong("it does not name a file for each tensor")
        if away := next((name for name in places.values() if _leads_away(name)), None):
            raise Wrong(f"it names {quoted(away)}, which would lie elsewhere")
        return Index(entry, places)


def _leads_away(name: str) -> bool:
    return "/" in name or "\\" in name or name in ("", ".", "..")
