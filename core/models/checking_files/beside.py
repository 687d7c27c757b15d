"""The plain values beside the tensors in a file of torch.save: what a training program noted of its network."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from core.models.checking_files.pickled_header import pickled_values

# More than any program notes; longer texts are none of a config.
MOST_DICTS, MOST_VALUES = 200, 2_000
LONGEST_TEXT = 200
DEEPEST = 4
_LARGEST = 1 << 63


def values_beside(path: Path) -> dict[str, Any]:
    """The numbers, texts, truths and Nones beside the tensors, in dicts as the file nests them; {} without any.

    At most MOST_VALUES are taken, those that lie highest first; what lists hold is left out, and nothing is run.
    Raises HeadlightError as `state_dict_of` does.
    """
    top = pickled_values(path)
    found: dict[str, Any] = {}
    seen, left = {id(top)}, MOST_VALUES
    waiting = deque([(top, found, 1)] if isinstance(top, dict) else [])
    while waiting and left > 0 and len(seen) <= MOST_DICTS:
        source, target, depth = waiting.popleft()
        for key, value in source.items():
            if left <= 0:
                break
            if isinstance(value, dict) and depth < DEEPEST and id(value) not in seen:
                seen.add(id(value))
                waiting.append((value, target.setdefault(key, {}), depth + 1))
            elif _is_plain(value):
                target[key] = value
                left -= 1
    return _without_empty(found)


def _is_plain(value: Any) -> bool:
    match value:
        case None | bool() | float():
            return True
        case int():
            return -_LARGEST < value < _LARGEST
        case str():
            return len(value) <= LONGEST_TEXT
    return False


def _without_empty(found: dict[str, Any]) -> dict[str, Any]:
    kept = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in found.items()}
    return {key: value for key, value in kept.items() if value != {}}
