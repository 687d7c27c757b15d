"""What was found in a folder: every file in a sentence, and the models that the files make up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

FileKind = Literal[
    "safetensors", "pickle", "gguf", "index", "config", "tokenizer", "vocabulary", "adapter", "adapter config",
    "training", "settings", "archive", "other", "refused",
]  # fmt: skip
Severity = Literal["info", "warning", "error"]
CandidateKind = Literal["model", "adapter", "gguf"]
Lacking = Literal["config", "model_type", "tokenizer", "base", "head"]


@dataclass(frozen=True)
class FoundFile:
    """A file, what it is and what will become of it.

    path      from the folder on, with "/" between its parts; what nobody would see in it is spelled out
    sentence  begins with its name
    """

    path: str
    nbytes: int
    kind: FileKind
    sentence: str
    severity: Severity = "info"


@dataclass(frozen=True)
class Missing:
    """What a model lacks, and the sentence that says what will be asked or done about it."""

    what: Lacking
    sentence: str


@dataclass(frozen=True)
class Candidate:
    """A model, an adapter or a GGUF file that can be prepared for loading once what is missing is chosen.

    name          to call it by until somebody chooses another
    root          the folder with its weights
    weights       its weight files, shards in the order of their numbers
    config        its config.json, where that can be read
    tokenizer     the folder with its tokenizer
    vocabularies  files that a tokenizer may be made from, those beside the weights first
    tensors       name -> shape, over all of its files; {} for a GGUF file, whose names are llama.cpp's
    path          the keys to the state dict in a pickle
    base          what an adapter calls the model that it belongs to: a name of the catalogue, of the hub, or a path
    bases         whole models in the same upload that it may be added to, its likeliest first
    missing       what has to be chosen, or is to be known, before it opens
    doubts        sentences about what is there and may not belong together
    """

    name: str
    kind: CandidateKind
    root: Path
    weights: tuple[Path, ...]
    config: Path | None = None
    tokenizer: Path | None = None
    vocabularies: tuple[Path, ...] = ()
    tensors: dict[str, tuple[int, ...]] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    base: str | None = None
    bases: tuple[Path, ...] = ()
    missing: tuple[Missing, ...] = ()
    doubts: tuple[str, ...] = ()

    def lacks(self, what: Lacking) -> bool:
        """Whether this is missing."""
        return any(missing.what == what for missing in self.missing)


@dataclass(frozen=True)
class Found:
    """What lies in a folder. `sentence` says why there is no candidate; it is "" where there is one."""

    folder: Path
    files: tuple[FoundFile, ...]
    candidates: tuple[Candidate, ...]
    sentence: str = ""
