"""Words for counts and sizes in sentences about files."""

from __future__ import annotations

from core.models.quoting import shown


def size(nbytes: int) -> str:
    """Bytes as they are shown: "90.9 MB", "3.2 kB"."""
    return f"{nbytes / 1e6:,.1f} MB" if nbytes >= 100_000 else f"{nbytes / 1e3:,.1f} kB"


def counted(count: int, noun: str) -> str:
    """A count with its noun: "1 tensor", "1,990 tensors"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quoted(text: object) -> str:
    """What a file says, as a sentence may quote it; values that are no texts are named by their kind."""
    return f"“{shown(text)}”" if isinstance(text, str) else "something that is no text"
