"""What a caption says of scores: what is explained, and the scalar, baseline and aggregation they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.saliency import Scores, Target


def target_words(target: Target) -> str:
    """What is explained, with its probability or its number where there is one."""
    named = (("probability", target.probability), ("number", target.number))
    likely = "".join(f" ({name} {value:.3g})" for name, value in named if value is not None)
    return f"{target.words}{likely}"


def asked_words(scores: Scores) -> list[str]:
    """Scalar, baseline and aggregation of scores, those that the method uses."""
    named = (("scalar", scores.scalar), ("baseline", scores.baseline), ("aggregation", scores.aggregation))
    return [f"{name} {value}" for name, value in named if value]


def methods_words(scored: Sequence[Scores]) -> list[str]:
    """Each choice once, with the methods it holds for where they differ or do not all have it."""
    return [words for field in ("scalar", "baseline", "aggregation") if (words := _choice(scored, field))]


def source_words(scores: Scores) -> list[str]:
    """Model, explained number and choices of one method, for a caption about it."""
    return [scores.model, f"explained: {target_words(scores.target)}", *asked_words(scores)]


def _choice(scored: Sequence[Scores], field: str) -> str:
    values: dict[str, list[str]] = {}
    for scores in scored:
        if value := getattr(scores, field):
            values.setdefault(value, []).append(scores.title)
    if not values:
        return ""
    if len(values) == 1:
        return f"{field}: {next(iter(values))}"
    return f"{field}: " + "; ".join(f"{value} ({', '.join(titles)})" for value, titles in values.items())
