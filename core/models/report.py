"""What happened when a model's weights were read: the first thing to look at when a picture is odd."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn


@dataclass(frozen=True)
class LoadReport:
    """The load report. Names are those of the model's state dict.

    loaded         number of tensors taken from the files
    missing        tensors that the files lack; the library initialised them at random
    mismatched     tensors whose shape in the files is another; initialised at random as well
    unexpected     tensors of the files that the model does not have; left out
    parameters     number of weights
    nbytes         their memory in the format they were loaded in
    """

    loaded: int
    missing: tuple[str, ...]
    mismatched: tuple[str, ...]
    unexpected: tuple[str, ...]
    parameters: int
    nbytes: int

    @property
    def reinitialised(self) -> tuple[str, ...]:
        return tuple(sorted({*self.missing, *self.mismatched}))

    @property
    def random_attention(self) -> tuple[str, ...]:
        """Weights of attention modules that were initialised at random: a map drawn from them shows nothing."""
        return tuple(name for name in self.reinitialised if "att" in name.lower())


def report_of(model: nn.Module, info: Mapping[str, Any]) -> LoadReport:
    """Build the report from a model and the loading info that `from_pretrained` returns with it."""
    missing = tuple(sorted(info["missing_keys"]))
    mismatched = tuple(sorted(_name(key) for key in info["mismatched_keys"]))
    weights = list(model.parameters())
    return LoadReport(
        loaded=len(model.state_dict()) - len(missing) - len(mismatched),
        missing=missing,
        mismatched=mismatched,
        unexpected=tuple(sorted(info["unexpected_keys"])),
        parameters=sum(w.numel() for w in weights),
        nbytes=sum(w.numel() * w.element_size() for w in weights),
    )


def _name(key: str | Iterable[Any]) -> str:
    return key if isinstance(key, str) else str(next(iter(key)))
