"""What a training.json tells of quality and alignment, checked, because pages draw it as it is."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any


def sound(told: Mapping[str, Any]) -> dict[str, Any]:
    """The same without what "quality", "alignment" and its "others" hold where their form is not that of a card."""
    kept = dict(told)
    if not _are_bins(kept.get("quality")):
        kept["quality"] = []
    alignment = kept.get("alignment")
    if not _is_alignment(alignment):
        kept["alignment"] = None
    elif alignment and not _are_alignments(alignment.get("others")):
        kept["alignment"] = {name: value for name, value in alignment.items() if name != "others"}
    return kept


def _are_bins(quality: Any) -> bool:
    return not quality or (isinstance(quality, list) and all(map(_is_bin, quality)))


def _is_bin(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and isinstance(told.get("words"), list)
        and len(told["words"]) == 2
        and all(map(_is_count, (*told["words"], told.get("sentences"))))
        and all(told.get(name) is None or _is_number(told[name], 100) for name in ("bleu", "chrf"))
    )


def _are_alignments(others: Any) -> bool:
    return not others or (isinstance(others, dict) and all(each and _is_alignment(each) for each in others.values()))


def _is_alignment(told: Any) -> bool:
    if not told:
        return True
    return (
        isinstance(told, dict)
        and _is_count(told.get("pairs"))
        and _has_error(told.get("attention"))
        and all(not told.get(name) or _has_error(told[name]) for name in ("best", "diagonal", "ibm1"))
        and (not told.get("best") or all(_is_place(told["best"].get(name)) for name in ("layer", "head")))
    )


def _has_error(score: Any) -> bool:
    return isinstance(score, dict) and _is_number(score.get("error"), 1)


def _is_place(value: Any) -> bool:
    return value is None or _is_count(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any, most: int) -> bool:
    return type(value) in (int, float) and (isnan(value) or 0 <= value <= most)
