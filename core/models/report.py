"""What happened when a model's weights were read: the first thing to look at when a picture is odd."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedModel


@dataclass(frozen=True)
class LoadReport:
    """The load report. Names are those of the model's state dict.

    loaded         number of tensors taken from the files
    missing        tensors that the files lack; the library initialised them at random
    mismatched     tensors whose shape in the files is another; initialised at random as well
    random_body    those of the missing and mismatched on which attention weights depend: all but heads and poolers
    unexpected     tensors of the files that the model does not have; left out
    parameters     number of weights
    nbytes         their memory in the format they were loaded in
    """

    loaded: int
    missing: tuple[str, ...]
    mismatched: tuple[str, ...]
    random_body: tuple[str, ...]
    unexpected: tuple[str, ...]
    parameters: int
    nbytes: int

    @property
    def reinitialised(self) -> tuple[str, ...]:
        return tuple(sorted({*self.missing, *self.mismatched}))


def report_of(model: PreTrainedModel, info: Mapping[str, Any]) -> LoadReport:
    """Build the report from a model and the loading info that `from_pretrained` returns with it."""
    missing = tuple(sorted(info["missing_keys"]))
    mismatched = tuple(sorted(_name(key) for key in info["mismatched_keys"]))
    weights = list(model.parameters())
    return LoadReport(
        loaded=len(model.state_dict()) - len(missing) - len(mismatched),
        missing=missing,
        mismatched=mismatched,
        random_body=tuple(name for name in sorted({*missing, *mismatched}) if _in_body(name, model)),
        unexpected=tuple(sorted(info["unexpected_keys"])),
        parameters=sum(w.numel() for w in weights),
        nbytes=sum(w.numel() * w.element_size() for w in weights),
    )


def _in_body(name: str, model: PreTrainedModel) -> bool:
    """Whether a tensor lies in the stack of layers and not in what comes after: a head or a pooler."""
    prefix = model.base_model_prefix
    in_stack = name.startswith(f"{prefix}.") if hasattr(model, prefix) else True
    return in_stack and "pooler." not in name


def _name(key: str | Iterable[Any]) -> str:
    return key if isinstance(key, str) else str(next(iter(key)))
