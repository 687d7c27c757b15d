"""Scores of a classifier of texts on test and development, and their spread over the seeds of one recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from core.errors import HeadlightError
from core.models.loading import positions_of
from core.training.card import card_of
from core.training.recipes.course import Say
from core.training.recipes.sentiment import class_scores, read_classes
from core.training.saving import save_card
from core.training.shipping.names import SEEDS
from core.training.shipping.trained import told_by

ACCURACY = "accuracy"
SPREAD = "accuracy over five seeds, mean ± sd"


@dataclass(frozen=True)
class _Shares:
    """Shares of the texts that the training held out."""

    development: float
    test: float


def text_scores(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    recipe: Mapping[str, Any],
    data: Path,
    say: Say,
) -> dict[str, float | int | str | None]:
    """Accuracy, F1 and AUC on the test texts and, named so, on the development texts, parted as the training did."""
    values = recipe["data"]
    texts = read_classes(data, _Shares(values["development"], values["test"]), say)
    longest = min(values["longest"], tokenizer.model_max_length, positions_of(network))
    test = class_scores(network, texts.samples(tokenizer, texts.test, longest))
    development = class_scores(network, texts.samples(tokenizer, texts.development, longest))
    development = {f"development {name.removeprefix('test ')}": value for name, value in development.items()}
    return test | development


def spread(stem: str, folder: Path) -> str:
    """Write mean and standard deviation (n - 1) of the test accuracy over all seeds into each seed's card.

    stem: a name without its seed; folder: where the shipped models are. Returns what was written.
    Raises HeadlightError where a seed is not there.
    """
    seeds = [folder / f"{stem}-{seed}" for seed in range(SEEDS)]
    absent = [seed.name for seed in seeds if not (seed / "training.json").is_file()]
    if absent:
        raise HeadlightError(f"{', '.join(absent)} is not in {folder}: ship all {SEEDS} seeds first.")
    cards = [told_by(seed) for seed in seeds]
    said = _said([float(told["scores"][ACCURACY]) for told in cards])
    for told, seed in zip(cards, seeds, strict=True):
        save_card(card_of(told | {"scores": told["scores"] | {SPREAD: said}}), seed)
    return said


def _said(values: Sequence[float]) -> str:
    return f"{mean(values):.4f} ± {stdev(values):.4f}"
