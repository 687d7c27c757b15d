"""Saving a trained model as a checkpoint that opens with `core.load`, with its card beside it."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from core.training.card import Card
from core.training.checkpoints import explained_when_full
from core.training.history import Record
from core.training.prepare import Prepared
from core.training.reports import Evaluation


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
            _write_card(card, new)
            _move(new, folder)


def save_card(card: Card, folder: Path) -> None:
    """Write README.md and training.json anew, each complete or as it was.

    Raises HeadlightError when the disk is full.
    """
    with explained_when_full(folder / "README.md"), tempfile.TemporaryDirectory(prefix=".saving-", dir=folder) as place:
        _write_card(card, Path(place))
        _move(Path(place), folder)


def _write_card(card: Card, folder: Path) -> None:
    (folder / "README.md").write_text(card.markdown(), encoding="utf-8")
    told = json.dumps(_finite(card.as_dict()), indent=2, ensure_ascii=False, allow_nan=False)
    (folder / "training.json").write_text(told + "\n", encoding="utf-8")


def _move(new: Path, folder: Path) -> None:
    # A folder counts as a model once it has a config.json.
    for file in sorted(new.iterdir(), key=lambda file: file.name in ("config.json", "adapter_config.json")):
        os.replace(file, folder / file.name)


def _finite(value: Any) -> Any:
    """The same nested values with None, which JSON has, for numbers that are not finite, which it has not."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _card(prepared: Prepared, history: Record | None) -> Card:
    recipe, evaluation = prepared.recipe, prepared.evaluate()
    scores: dict[str, float | int | str | None] = {
        "steps": evaluation.step,
        "development loss": evaluation.loss,
        "token accuracy": evaluation.token_accuracy,
        "sequence accuracy": evaluation.sequence_accuracy,
        "gold alignment accuracy": evaluation.alignment,
        "alignment error rate": prepared.alignment_error(),
    }
    return Card(
        title=recipe.title,
        summary=f"{prepared.network.num_parameters():,} weights that do one thing. {prepared.task.summary}",
        data="Made by the task itself, new at every step; nothing was collected. What it is judged by was kept out.",
        values=recipe.as_dict(),
        scores=scores,
        limits=_limits(prepared),
        history=told_of(history, evaluation) if history else {},
    )


def _limits(prepared: Prepared) -> list[str]:
    task = prepared.task
    limits = [f"It reads only these characters, space included: {task.alphabet.strip()}"]
    if task.lengths:
        limits.append(
            f"It was trained on sources of {task.lengths[0]} to {task.lengths[1]} characters; longer ones may fail."
        )
    return limits


def told_of(history: Record, last: Evaluation | None = None) -> dict[str, list[list[float | int | None]]]:
    """Evaluations as rows of step, loss, token and sequence accuracy and alignment; steps as rows of step and loss.

    last: that of the weights that are kept, the last row; where it is an earlier one, as early stopping has it, its row
    comes twice.
    """
    every = max(1, len(history.steps) // 200)
    evaluations = history.evaluations
    if last is not None and evaluations[-1:] != (last,):
        evaluations += (last,)
    return {
        "evaluations": [
            [seen.step, seen.loss, seen.token_accuracy, seen.sequence_accuracy, seen.alignment] for seen in evaluations
        ],
        "steps": [[report.step, report.loss] for report in history.steps[::every]],
    }
