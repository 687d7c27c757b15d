"""What in-house models learn by the default recipes of two toy tasks: cost, accuracy and alignment by length."""

from __future__ import annotations

import time
from collections.abc import Mapping

import torch

from core.training.defaults import default_recipe
from core.training.prepare import prepared
from core.training.reports import Evaluation

TASKS = ("copy", "reverse")
ARCHITECTURES = ("none", "additive", "general", "transformer")


def table() -> str:
    """The table as Markdown, one row a run: token accuracy, and the share of tokens that look at their gold source."""
    torch.set_num_threads(1)
    lines = [
        "| trained on 3 to 12 characters | CPU s | token accuracy at 4 / 8 / 12 / 16 | gold alignment, likewise |",
        "| --- | --- | --- | --- |",
        *(_row(task, architecture) for task in TASKS for architecture in ARCHITECTURES),
    ]
    return "\n".join(lines)


def _row(task: str, architecture: str) -> str:
    run = prepared(default_recipe(task, architecture))
    start = time.thread_time()
    for _ in run.trainer.run():
        pass
    taken = time.thread_time() - start
    seen = run.evaluate_by_length()
    return f"| {run.recipe.title} | {taken:.0f} | {_accuracies(seen)} | {_alignments(seen)} |"


def _accuracies(seen: Mapping[int, Evaluation]) -> str:
    return " / ".join(f"{evaluation.token_accuracy:.2f}" for evaluation in seen.values())


def _alignments(seen: Mapping[int, Evaluation]) -> str:
    return " / ".join("–" if each.alignment is None else f"{each.alignment:.2f}" for each in seen.values())
