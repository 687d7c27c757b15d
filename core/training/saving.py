"""Saving a trained model as a checkpoint that opens with `core.load`, with its card beside it."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from core.training.card import Card
from core.training.checkpoints import explained_when_full
from core.training.history import Record
from core.training.prepare import Prepared


def save(prepared: Prepared, folder: Path, history: Record | None = None) -> Card:
    """Write the network as it is now: config.json, model.safetensors, tokenizer, training.json and README.md.

    history: what the run reported; training.json keeps its evaluations and the loss of some steps. Returns the card.
    Raises HeadlightError when the disk is full.
    """
    card = _card(prepared, history)
    save_model(prepared.network, prepared.tokenizer, card, folder)
    return card


def save_model(network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, card: Card, folder: Path) -> None:
    """Write any network with its tokenizer and card. Each file is complete or not there; the config comes last.

    Raises HeadlightError when the disk is full; files of an earlier save are then kept as they are.
    """
    with explained_when_full(folder / "model.safetensors"):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".saving-", dir=folder) as place:
            new = Path(place)
            network.save_pretrained(new)
            tokenizer.save_pretrained(new)
            (new / "README.md").write_text(card.markdown(), encoding="utf-8")
            told = json.dumps(card.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
            (new / "training.json").write_text(told + "\n", encoding="utf-8")
            # A folder counts as a model once it has a config.json.
            for file in sorted(new.iterdir(), key=lambda file: file.name == "config.json"):
                os.replace(file, folder / file.name)


def _card(prepared: Prepared, history: Record | None) -> Card:
    recipe, evaluation = prepared.recipe, prepared.evaluate()
    scores: dict[str, float | int | str | None] = {
        "steps": prepared.trainer.step,
        "development loss": evaluation.loss,
        "token accuracy": evaluation.token_accuracy,
        "sequence accuracy": evaluation.sequence_accuracy,
        "gold alignment accuracy": evaluation.alignment,
        "alignment error rate": prepared.alignment_error(),
    }
    return Card(
        title=recipe.title,
        summary=f"{prepared.network.num_parameters():,} weights that do one thing. {prepared.task.summary}",
        data="Made by the task itself, new at every step; nothing was collected.",
        values=recipe.as_dict(),
        scores=scores,
        limits=_limits(prepared),
        history=told_of(history) if history else {},
    )


def _limits(prepared: Prepared) -> list[str]:
    task = prepared.task
    limits = [f"It reads only these characters, space included: {task.alphabet.strip()}"]
    if task.lengths:
        limits.append(
            f"It was trained on sources of {task.lengths[0]} to {task.lengths[1]} characters; longer ones may fail."
        )
    return limits


def told_of(history: Record) -> dict[str, list[list[float | int | None]]]:
    """Evaluations as rows of step, loss, token and sequence accuracy and alignment; steps as rows of step and loss."""
    every = max(1, len(history.steps) // 200)
    return {
        "evaluations": [
            [seen.step, seen.loss, seen.token_accuracy, seen.sequence_accuracy, seen.alignment]
            for seen in history.evaluations
        ],
        "steps": [[report.step, report.loss] for report in history.steps[::every]],
    }
