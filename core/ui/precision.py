"""In which number format weights are kept: those that every machine has, and those that a package rounds to."""

from __future__ import annotations

from dataclasses import dataclass

PLAIN = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Precisions:
    """Formats that can be chosen here, and why others cannot, a sentence each."""

    names: tuple[str, ...]
    refused: tuple[str, ...]


def precisions() -> Precisions:
    """The formats of this machine, the most exact first."""
    from core.models.devices import best_device
    from core.models.opening.quantising import QUANTISED, why_not

    reasons = {name: why_not(name, best_device()) for name in QUANTISED}
    rounded = tuple(name for name, reason in reasons.items() if reason is None)
    return Precisions((*PLAIN, *rounded), tuple(dict.fromkeys(filter(None, reasons.values()))))


def words_of(name: str) -> str:
    """A format as the menu shows it."""
    return name if name in PLAIN else f"{name}, weights rounded"
