"""Driving a course to its end: progress, logs, checkpoints to go on from, and the model at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import Any

from core.errors import HeadlightError
from core.training import checkpoints
from core.training.corpora import digest_of
from core.training.history import History
from core.training.logs import Log
from core.training.progress import Progress
from core.training.recipes.course import CommandRecipe, Course, Say
from core.training.reports import Evaluation, StepReport
from core.training.trainer import Trainer

# Seconds between two checkpoints at the most; there is one after each evaluation, too.
EVERY = 60.0
PLAN = "plan.json"
_FREE_TO_CHANGE = ("steps", "evaluate_every", "snapshot_every", "patience")


def drive(
    recipe: CommandRecipe, parts: tuple[Any, ...], data: Path | None, out: Path, resume: bool, device: str, say: Say
) -> None:
    """Train by a recipe and write the model into `out`, with `logs` and `checkpoints` in it.

    resume: go on from the newest checkpoint; the result is the same as of a run that was never stopped.
    Raises HeadlightError where `out` holds another run, or the data or the disk end it; OSError where `out` cannot be
    written to for another reason than a full disk.
    """
    kept = out / "checkpoints"
    newest = checkpoints.latest(kept)
    told = {"recipe": recipe.name, "values": _values(parts), "data": digest_of(data) if data else None}
    _agree(out / PLAN, told, _values([type(part)() for part in parts]), newest is not None, resume)
    course = recipe.begin(parts, data, device, say)
    history = History()
    if newest is not None:
        state = checkpoints.load(newest)
        course.trainer.restore(state)
        _restore(history, state["history"])
        say(f"Going on from step {course.trainer.step:,}.")
    _run(course, history, kept, out / "logs", say)
    say(course.save(out, history.now()).line)
    say(f"The model is in {out}; open it with core.load({str(out)!r}), or in the app.")


def _run(course: Course, history: History, kept: Path, logs: Path, say: Say) -> None:
    trainer, progress = course.trainer, Progress(say)
    saved = monotonic()
    with Log(logs, done=trainer.step) as log:
        for report in trainer.run():
            history.append(report)
            log.write(report)
            progress.tell(report)
            if report.step and (report.evaluation is not None or monotonic() - saved > EVERY):
                _checkpoint(trainer, history, log, kept)
                saved = monotonic()
        _checkpoint(trainer, history, log, kept)


def _agree(plan: Path, told: Mapping[str, Any], usual: Mapping[str, Any], begun: bool, resume: bool) -> None:
    """Write down what this run is, or see that the run to go on with is the same.

    usual: the values of what the plan does not tell: it is newer than the plan, and was then as it is by default.
    """
    if begun and not resume:
        raise HeadlightError(
            f"{plan.parent} holds a run already: add --resume to go on with it, or choose another --out."
        )
    if begun and plan.is_file():
        before = _read(plan)
        if before["recipe"] != told["recipe"]:
            raise HeadlightError(f"{plan.parent} holds a run of {before['recipe']}: choose another --out.")
        if changed := _changed(values := {**usual, **before["values"]}, told["values"]):
            raise HeadlightError(
                f"The run in {plan.parent} has {changed} = {values[changed]}: set it to that to go on, "
                "or choose another --out."
            )
        if before["data"] != told["data"]:
            raise HeadlightError(
                f"The run in {plan.parent} began with other data: give --data as it was then to go on, or choose "
                "another --out."
            )
    _write(plan, told)


def _read(plan: Path) -> dict[str, Any]:
    try:
        before = json.loads(plan.read_text(encoding="utf-8"))
        return {"recipe": before["recipe"], "values": dict(before["values"]), "data": before["data"]}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise HeadlightError(f"{plan} is damaged, so nothing is known of its run: choose another --out.") from error


def _write(plan: Path, told: Mapping[str, Any]) -> None:
    """Write the plan, and its folder where there is none; the first thing that a run puts on the disk."""
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    with checkpoints.explained_when_full(plan):
        plan.parent.mkdir(parents=True, exist_ok=True)
    checkpoints.write_atomically(plan, lambda file: file.write(text.encode()))


def _values(parts: Sequence[Any]) -> dict[str, Any]:
    return {name: value for part in parts for name, value in asdict(part).items()}


def _changed(before: Mapping[str, Any], now: Any) -> str | None:
    """The first value that is another one, of those that a run cannot change on its way."""
    return next((name for name in now if name not in _FREE_TO_CHANGE and now[name] != before[name]), None)


def _checkpoint(trainer: Trainer, history: History, log: Log, kept: Path) -> None:
    # A resumed run logs only what comes after its checkpoint, so what came before has to be on the disk first.
    log.flush()
    checkpoints.save({**trainer.state(), "history": _plain(history)}, kept)


def _plain(history: History) -> dict[str, list[list[Any]]]:
    """Steps and evaluations as rows of numbers, which a checkpoint can hold; films are the page's alone."""
    record = history.now()
    return {
        "steps": [
            [told.step, told.steps, told.loss, told.learning_rate, told.gradient_norm, told.tokens, told.seconds]
            for told in record.steps
        ],
        "evaluations": [list(asdict(told).values()) for told in record.evaluations],
    }


def _restore(history: History, rows: Mapping[str, list[list[Any]]]) -> None:
    evaluations = {row[0]: Evaluation(*row) for row in rows["evaluations"]}
    if 0 in evaluations:
        history.append(StepReport(0, 0, float("nan"), 0.0, float("nan"), 0, 0.0, evaluations[0]))
    for row in rows["steps"]:
        history.append(replace(StepReport(*row), evaluation=evaluations.get(row[0])))
