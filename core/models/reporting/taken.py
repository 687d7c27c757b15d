"""What the load report says of values that tensors do not tell, and that are no more than usual in a family."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from core.models.quoting import shown

_LENGTHS = re.compile(r"max_position_embeddings|n_positions")
_EPSILON = re.compile(r".*eps(ilon)?")
_PLAIN = (
    (_EPSILON, "epsilon of norms"),
    (re.compile(r"hidden_act|activation(_function)?"), "activation"),
    (re.compile(r"rope_theta|rotary_emb_base"), "base of rotary positions"),
)
# Whether the head is the table of words decides about answers alone.
_NO_MAP = re.compile(r"tie_.*")


def is_length(name: str) -> bool:
    """Whether a key of a config says how long a text may be."""
    return _LENGTHS.fullmatch(name) is not None


def about_taken(taken: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """Sentences, each with what to do. taken: keys of the config with their values."""
    values = [(name, value) for name, value in taken if not is_length(name)]
    if values:
        listed = _joined([_with_plain(name, f"{shown(name)} {_said(value)}") for name, value in values], "and")
        usual = "is" if len(values) == 1 else "are"
        yield (
            f"Tensors do not tell all of the config: {listed} {usual} no more than usual in its family.",
            "Open it differently, with what the model's own config, or the program that trained it, says: "
            f"{_effect([name for name, _ in values])}.",
        )
    for name, value in taken:
        if is_length(name):
            yield (
                f"Tensors do not tell the longest text that it was made for: {_said(value)} tokens are usual in its "
                "family.",
                "Open it differently, with the length that its own config says: beyond what it was trained on, it may "
                "read badly.",
            )


def _effect(names: Iterable[str]) -> str:
    """How much maps differ with other values."""
    bearing = [name for name in names if not _NO_MAP.fullmatch(name)]
    little = [_plain(name) for name in bearing if _EPSILON.fullmatch(name)]
    more = [_plain(name) or shown(name) for name in bearing if not _EPSILON.fullmatch(name)]
    if not bearing:
        return "the answer may differ, and maps do not"
    told = [f"a little with another {_joined(little, 'or')}"] if little else []
    told += [f"{'more ' if little else ''}with another {_joined(more, 'or')}"] if more else []
    return f"maps differ {', and '.join(told)}"


def _plain(name: str) -> str:
    """What a key of a config means; "" for one that is none of the usual ones."""
    return next((words for kind, words in _PLAIN if kind.fullmatch(name)), "")


def _with_plain(name: str, told: str) -> str:
    words = _plain(name)
    return f"the {words} ({told})" if words else told


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1 and value.is_integer() else f"{value:g}"
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else shown(str(value))


def _joined(words: Sequence[str], conjunction: str) -> str:
    return f" {conjunction} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
