"""What was seen in one folder of an upload, sorted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from core.models.finding.looking import Weights
from core.models.finding.others import Settings
from core.models.finding.results import FoundFile
from core.models.finding.walking import Entry

Parts = tuple[str, ...]


@dataclass
class Contents:
    """A folder, filled file by file.

    parts    of the path to it, from the folder on that is searched
    files    what is said of its files, by their own names; of weights and indexes only once their roles are known
    weights  those that can be read
    """

    folder: Path
    parts: Parts
    files: dict[str, FoundFile] = field(default_factory=dict)
    weights: list[Weights] = field(default_factory=list)
    indexes: list[Entry] = field(default_factory=list)
    config: Settings | None = None
    adapter: Settings | None = None
    tokenizer: Settings | None = None
    training: Settings | None = None
