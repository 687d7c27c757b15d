"""Whether tensors that a network has as one are one in the files: names and shapes do not tell, numbers do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.models.checking_files import TensorEntry, header_of
from core.models.preparing.naming import Naming
from core.models.preparing.safetensors_writing import bytes_between

TIES = "tie_word_embeddings"
UNTIED = "Its head and its embeddings are two matrices with different numbers, so they are not tied."


def are_untied(named: Naming, files: Iterable[Path]) -> bool:
    """Whether a pair of tensors that the network would have as one differs in the safetensors files that were made."""
    held = {name: (path, entry) for path in files for name, entry in header_of(path).tensors.items()}
    pairs = [(named.names[first], named.names[other]) for first, other in named.tied]
    return any(not _same(*held[first], *held[other]) for first, other in pairs if first in held and other in held)


def _same(path: Path, entry: TensorEntry, other_path: Path, other: TensorEntry) -> bool:
    """Whether two tensors hold the same bits, of which no more are read than it takes to tell."""
    if (entry.dtype, entry.shape) != (other.dtype, other.shape):
        return False
    with path.open("rb") as file, other_path.open("rb") as other_file:
        chunks = bytes_between(file, entry.start, entry.end)
        others = bytes_between(other_file, other.start, other.end)
        return all(chunk == same for chunk, same in zip(chunks, others, strict=True))
