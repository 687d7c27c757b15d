"""What a training program noted beside the tensors of a checkpoint: which model it trained, and its labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_files import values_beside
from core.models.finding.telling import quoted

_NAMES = (
    "model_name", "model_name_or_path", "pretrained_model_name_or_path", "pretrained_model", "base_model", "model_type",
    "num_labels", "num_classes", "n_classes",
)  # fmt: skip
# Dicts of labels whose keys are numbers never come out of a pickle, see `core.models.checking_files.pickled_values`.
_LABELS, _NUMBERED = "label2id", "id2label"
MOST_NOTED, MOST_LABELS = 4, 6


def noted_beside(path: Path) -> str:
    """A clause on those values of a file of torch.save that tell its model; "" where it has none.

    "beside them model_name “bert-base-uncased” and num_labels 3".
    """
    values = _values(path)
    told = dict(_told(values))
    noted = [f"{name} {told[name]}" for name in _NAMES if name in told][:MOST_NOTED]
    if labels := _labels(values):
        more = ", …" if len(labels) > MOST_LABELS else ""
        noted.append(f"the labels {', '.join(map(quoted, labels[:MOST_LABELS]))}{more}")
    *others, last = noted or [""]
    return f"beside them {', '.join(others)}{' and ' if others else ''}{last}" if last else ""


def labels_beside(path: Path) -> tuple[str, ...]:
    """The names of the labels that a file of torch.save tells beside its tensors, by their ids; () without any."""
    return _labels(_values(path))


def _values(path: Path) -> dict[str, Any]:
    try:
        return values_beside(path)
    except HeadlightError:  # what stands beside the tensors is no reason to refuse a file
        return {}


def _told(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name of interest with its value in words; of two with one name the higher comes last, to count."""
    for value in values.values():
        if isinstance(value, Mapping):
            yield from _told(value)
    for name, value in values.items():
        if name in _NAMES and type(value) is int:
            yield name, f"{value:,}"
        elif name in _NAMES and isinstance(value, str) and value:
            yield name, quoted(value)


def _labels(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The highest dict of labels, in the order of their ids; () where the ids are not 0, 1, 2 and so on."""
    ids: dict[Any, str] = {}
    if isinstance(said := values.get(_LABELS), Mapping):
        ids = {number: name for name, number in said.items() if type(number) is int}
    elif isinstance(said := values.get(_NUMBERED), Mapping):
        ids = {int(key): name for key, name in said.items() if key.isdecimal() and isinstance(name, str)}
    if said and sorted(ids) == list(range(len(said))):
        return tuple(ids[number] for number in sorted(ids))
    below = (_labels(value) for value in values.values() if isinstance(value, Mapping))
    return next(filter(None, below), ())
