"""Scores of a language model on the texts that its training held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.training.corpora import split
from core.training.evaluation.positions import loss_by_range
from core.training.evaluation.samples import evaluate_samples
from core.training.recipes.course import Say
from core.training.recipes.language_model import BY_POSITION, READ, LanguageData, far_tables, lines_of, samples_of


def text_loss(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, recipe: Mapping[str, Any], data: Path, say: Say
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Loss and accuracy on the development texts, and the tables by position, as the training measures them."""
    known = {field.name for field in fields(LanguageData)}
    values = LanguageData(**{name: value for name, value in recipe["data"].items() if name in known})
    _, development = split(lines_of(data, values, say), str.lower, values.development)
    judged = samples_of(tokenizer, development, values)[:READ]
    judgement = evaluate_samples(network, judged, "language model", 0)
    tables = {
        BY_POSITION: loss_by_range(network, judged, "language model"),
        **far_tables(network, tokenizer, development, values),
    }
    return {"development loss": judgement.loss, "next-token accuracy": judgement.token_accuracy}, tables
