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


def drawn_words(scored: Sequence[Scores]) -> str:
    """How far to trust what was drawn at random: the mean standard error as a share of the largest score."""
    told = [
        f"{scores.title} ± {100 * scores.error.mean() / max(abs(scores.values).max(), 1e-12):.1f} %"
        for scores in scored
        if scores.error is not None
    ]
    return f"drawn at random, mean standard error in shares of the largest score: {', '.join(told)}" if told else ""


def missed_by(scored: Sequence[Scores]) -> str:
    """Methods whose scores should sum to the change of the answer and do not."""
    from core.saliency.method import missed_words

    missed = [(each.title, each.completeness_delta or 0.0) for each in scored]
    told = [f"{title} by {100 * delta:.0f} %" for title, delta in missed if missed_words(delta, "")]
    return f"off the sum that they should have, to be read with care: {', '.join(told)}" if told else ""


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
