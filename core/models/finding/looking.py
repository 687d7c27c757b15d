"""A look into a weight file: what its header says, in words and as names with shapes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from core.errors import HeadlightError
from core.models.checking_files import gguf_of, header_of, state_dict_of
from core.models.finding.noted import noted_beside
from core.models.finding.results import FoundFile
from core.models.finding.telling import counted, quoted, size
from core.models.finding.walking import Entry, place_of

MOST_FILES = 400
# Over all files of a folder; the largest open models have 95,000.
MOST_TENSORS = 400_000
# Of the processor: on a busy machine the same is read, later.
SECONDS = 20.0
TOO_MUCH = "not looked into, because the folder holds more than is read at once: take its models one by one"
_GGUF = b"GGUF"


@dataclass(frozen=True)
class Weights:
    """A weight file whose header was read.

    words    what a sentence says of it
    tensors  name -> shape; {} for GGUF
    path     the keys to the state dict in a pickle
    """

    entry: Entry
    kind: Literal["safetensors", "pickle", "gguf"]
    words: str
    tensors: dict[str, tuple[int, ...]] = field(default_factory=dict)
    path: tuple[str, ...] = ()


class Budget:
    """How much more is read of one folder, in files, tensors and seconds."""

    def __init__(self) -> None:
        self._files, self._tensors = MOST_FILES, MOST_TENSORS
        self._end = time.thread_time() + SECONDS

    @property
    def spent(self) -> bool:
        """Whether nothing more is to be read."""
        return self._files <= 0 or self._tensors <= 0 or time.thread_time() > self._end

    def spend(self, tensors: int) -> None:
        """Note that a file was read, and how many tensors it has."""
        self._files -= 1
        self._tensors -= tensors


def looked_into(entry: Entry, budget: Budget) -> Weights | FoundFile:
    """What a weight file holds, or the sentence why it is not opened. Nothing but its header is read."""
    try:
        weights = _weights(entry)
    except HeadlightError as error:
        budget.spend(0)
        return FoundFile(place_of(entry.parts), entry.nbytes, "refused", str(error), "error")
    budget.spend(len(weights.tensors))
    return weights


def _weights(entry: Entry) -> Weights:
    if entry.suffix == ".safetensors":
        header = header_of(entry.path)
        shapes = {name: tensor.shape for name, tensor in header.tensors.items()}
        formats = _formats((tensor.dtype, tensor.count) for tensor in header.tensors.values())
        return Weights(entry, "safetensors", f"{_told(len(shapes), entry.nbytes)}{formats}", shapes)
    if entry.suffix == ".gguf" or _begins_as_gguf(entry):
        return _gguf(entry)
    held = state_dict_of(entry.path)
    shapes = {name: tensor.shape for name, tensor in held.tensors.items()}
    formats = _formats((tensor.dtype, tensor.count) for tensor in held.tensors.values())
    under = f", under {' and '.join(map(quoted, held.path))}" if held.path else ""
    noted = f"; {words}" if (words := noted_beside(entry.path)) else ""
    words = f"{_told(len(shapes), entry.nbytes)}{formats}{under}{noted}"
    return Weights(entry, "pickle", words, shapes, held.path)


def _gguf(entry: Entry) -> Weights:
    header = gguf_of(entry.path)
    formats = _formats((tensor.dtype, tensor.count) for tensor in header.tensors.values())
    words = f"{_told(len(header.tensors), entry.nbytes)}{formats}, of the family {quoted(header.architecture)}"
    return Weights(entry, "gguf", words)


def _begins_as_gguf(entry: Entry) -> bool:
    try:
        with entry.path.open("rb") as file:
            return file.read(len(_GGUF)) == _GGUF
    except OSError:
        return False  # the reader says it


def _told(tensors: int, nbytes: int) -> str:
    return f"{counted(tensors, 'tensor')}, {size(nbytes)}"


def _formats(tensors: Iterable[tuple[str, int]]) -> str:
    """The number formats, that of most numbers first: ", float32 and int64"."""
    counts: Counter[str] = Counter()
    for dtype, count in tensors:
        counts[dtype] += count
    *others, last = [dtype for dtype, _ in counts.most_common(3)] or [""]
    return f", {', '.join(others)}{' and ' if others else ''}{last}" if last else ""
