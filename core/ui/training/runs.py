"""The runs of this browser session: begun, stopped, listed, and chosen to be shown."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from core.jobs import Background, Job
from core.training import StepReport
from core.training.history import Record
from core.training.recipe import Recipe
from core.ui import resources
from core.ui.training.lesson import Lesson
from core.ui.training.plan import Plan

MOST_KEPT = 20
MOST_SHOWN = 2
_RUNS, _NUMBER, _FOLDER = "training_runs", "training_count", "training_folder"
# Numbers of the runs on the page; the state of a menu, and kept beside it for when the menu is away.
SHOWN = "training_shown"


@dataclass(frozen=True)
class Run:
    """A run by its number in this session. title: of what it was begun as, alone or with another."""

    number: int
    title: str
    label: str
    lesson: Lesson
    background: Background[StepReport]
    begun: float = field(default_factory=time.monotonic)

    @property
    def recipe(self) -> Recipe:
        return self.lesson.recipe

    @property
    def record(self) -> Record:
        """What it has reported so far."""
        return self.lesson.history.now()

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return f"{self.number} · {self.recipe.toy.title} · {self.label}"


def all_runs() -> tuple[Run, ...]:
    """The runs of this session, the first one first."""
    runs: tuple[Run, ...] = st.session_state.get(_RUNS, ())
    return runs


def going_on() -> tuple[Run, ...]:
    """The runs that have not ended."""
    return tuple(run for run in all_runs() if not run.background.ended)


def shown_runs() -> tuple[Run, ...]:
    """The one or two runs that the page shows: those that were chosen, else the latest."""
    chosen = st.session_state.get(SHOWN, ())
    found = tuple(run for run in all_runs() if run.number in chosen)
    return found[:MOST_SHOWN] or all_runs()[-1:]


def title_of(runs: Sequence[Run]) -> str:
    """What is shown, in a few words; "" for nothing."""
    titles = list(dict.fromkeys(run.title for run in runs))
    return titles[0] if len(titles) == 1 else " and ".join(f"run {run.number}" for run in runs).capitalize()


def facts_of(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """What is worth knowing of the runs at a glance: facts with their explanations."""
    if not runs:
        return []
    options = [run.recipe.options for run in runs]
    examples = " and ".join(dict.fromkeys(f"{each.batch_size * each.accumulate}" for each in options))
    steps = " and ".join(dict.fromkeys(f"{each.steps:,}" for each in options))
    facts = [
        (f"{steps} steps", "How often the weights are changed."),
        (f"{examples} examples a step", "Drawn anew for each step; none is seen twice on purpose."),
    ]
    device = runs[0].lesson.device
    return [*facts, (device.split(":")[0].upper(), "The device that computes.")]


def begin(plan: Plan) -> None:
    """Begin what is planned, each run in a thread of its own, and show it; torch must have been imported.

    Nothing begins while something goes on, or where the plan has no run: a press may come with a change that spoils it.
    """
    if going_on() or not plan.runs:
        return
    from core.models.devices import best_device

    session, device = resources.session(), best_device()
    queue = session.queues.of(device)
    first = st.session_state.get(_NUMBER, 0) + 1
    runs = []
    for number, (label, recipe) in enumerate(plan.runs, first):
        lesson = Lesson(recipe, device, _folder() / str(number))
        job = Job(session.name, recipe.title)
        background = Background(job, lesson.steps(), queue, lesson.history.append, lesson.afterwards())
        session.at_end(background.cancel)
        runs.append(Run(number, plan.title, label, lesson, background.start()))
    st.session_state[_NUMBER] = runs[-1].number
    st.session_state[_RUNS] = (*all_runs(), *runs)[-MOST_KEPT:]
    st.session_state[SHOWN] = [run.number for run in runs]


def stop() -> None:
    """Stop all that goes on, and keep what was learnt so far."""
    for run in going_on():
        run.background.stop()


def _folder() -> Path:
    """A folder of this session for its checkpoints, deleted with it."""
    if _FOLDER not in st.session_state:
        folder = tempfile.TemporaryDirectory(prefix="headlight-training-", ignore_cleanup_errors=True)
        st.session_state[_FOLDER] = folder
        resources.session().at_end(folder.cleanup)
    return Path(st.session_state[_FOLDER].name)
