"""The runs of this browser session: begun, stopped, listed, and chosen to be shown."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.jobs import Background, Job
from core.training import Evaluation
from core.training.defaults import default_recipe
from core.training.history import Record
from core.training.pace import estimate
from core.training.recipe import Recipe
from core.ui import resources
from core.ui.starting import libraries
from core.ui.training.course import Course
from core.ui.training.lesson import Lesson
from core.ui.training.plan import Plan

MOST_KEPT = 20
MOST_SHOWN = 2
# Values beside the title that are not as by default.
MOST_CHANGES = 3
# First words of values that stand there anyway, or that change nothing that is learnt.
TOLD_ELSEWHERE = frozenset({"steps", "batch", "accumulation", "evaluate", "snapshot"})
# Fewer steps are mostly the first evaluation.
STEPS_THAT_TELL = 20
_RUNS, _NUMBER, _FOLDER = "training_runs", "training_count", "training_folder"
# Numbers of the runs on the page; the state of a menu, and kept beside it for when the menu is away.
SHOWN = "training_shown"


@dataclass(frozen=True)
class Run:
    """A run by its number in this session.

    title: of what it was begun as, alone or with another. background: the thread, which two compared runs share.
    """

    number: int
    title: str
    label: str
    lesson: Lesson
    background: Background[None]
    begun: float

    @property
    def recipe(self) -> Recipe:
        return self.lesson.recipe

    @property
    def record(self) -> Record:
        """What it has reported so far."""
        return self.lesson.record

    @property
    def name(self) -> str:
        """What it is called in a list."""
        return f"{self.number} · {self.recipe.toy.title} · {self.label}"

    @property
    def error(self) -> str:
        """The sentence that it ended with, "" for none."""
        return self.lesson.error or self.background.error

    @property
    def state(self) -> str:
        """As that of the thread, but a run may fail, or come to its end before a stop, while the other goes on."""
        if self.error:
            return "failed"
        return "done" if self.background.state == "stopped" and self.lesson.finished else self.background.state

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return bool(self.error) or self.background.ended

    @property
    def result(self) -> Evaluation | None:
        """The latest evaluation; of a run that has ended, that of the network that was kept."""
        evaluations = self.record.evaluations
        return self.lesson.result or (evaluations[-1] if evaluations else None)


def all_runs() -> tuple[Run, ...]:
    """The runs of this session, the first one first."""
    runs: tuple[Run, ...] = st.session_state.get(_RUNS, ())
    return runs


def going_on() -> tuple[Run, ...]:
    """The runs that have not ended."""
    return tuple(run for run in all_runs() if not run.ended)


def shown_runs() -> tuple[Run, ...]:
    """The one or two runs that the page shows: those that were chosen, else the latest."""
    chosen = st.session_state.get(SHOWN, ())
    found = tuple(run for run in all_runs() if run.number in chosen)
    return found[:MOST_SHOWN] or all_runs()[-1:]


def title_of(runs: Sequence[Run]) -> str:
    """What is shown, in a few words; "" for nothing."""
    titles = list(dict.fromkeys(run.title for run in runs))
    if len(titles) < 2:
        return "".join(titles)
    tasks = " and ".join(dict.fromkeys(run.recipe.toy.title for run in runs))
    return f"{tasks} · runs {' and '.join(str(run.number) for run in runs)}"


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
    changed = changes_of(runs)
    facts += [(words, "Not as by default.") for words in changed[:MOST_CHANGES]]
    if len(changed) > MOST_CHANGES:
        facts.append((f"{len(changed) - MOST_CHANGES} more", "Not as by default: " + ", ".join(changed[MOST_CHANGES:])))
    device = runs[0].lesson.device
    return [*facts, (device.split(":")[0].upper(), "The device that computes.")]


def changes_of(runs: Sequence[Run]) -> list[str]:
    """The values that all these runs have, and the default recipe of their architecture has not, in words."""
    each = [run.recipe.differs(default_recipe(run.recipe.task, run.recipe.settings.architecture)) for run in runs]
    shared = (words for words in each[0] if all(words in others for others in each))
    return [words for words in shared if words.split()[0] not in TOLD_ELSEWHERE]


def pace() -> float:
    """How many times as long as estimated the latest run that tells took here; 0 before there is one.

    Seconds of its own computing, so that what other people's turns took is left out.
    """
    for run in reversed(all_runs()):
        steps = run.record.steps
        if run.ended and len(steps) >= STEPS_THAT_TELL:
            return steps[-1].seconds / (estimate(run.recipe) * len(steps) / run.recipe.options.steps)
    return 0.0


def begin(plan: Plan) -> None:
    """Begin what is planned in a thread of its own, and show it; torch must have been imported.

    Nothing begins while something goes on, or where the plan has no run: a press may come with a change that spoils it.
    """
    if going_on() or not plan.runs:
        return
    libraries()
    from core.models.devices import best_device

    session, device = resources.session(), best_device()
    queue = session.queues.of(device)
    first = st.session_state.get(_NUMBER, 0) + 1
    lessons = [Lesson(recipe, device, _folder() / str(first + place)) for place, (_, recipe) in enumerate(plan.runs)]
    course = Course(lessons)
    job = Job(session.name, plan.title)
    background = Background(job, course.steps(), queue, lambda step: None, course.afterwards())
    session.at_end(background.cancel)
    begun = time.monotonic()
    runs = [
        Run(number, plan.title, label, lesson, background, begun)
        for number, ((label, _), lesson) in enumerate(zip(plan.runs, lessons, strict=True), first)
    ]
    background.start()
    st.session_state[_NUMBER] = runs[-1].number
    st.session_state[_RUNS] = (*all_runs(), *runs)[-MOST_KEPT:]
    st.session_state[SHOWN] = [run.number for run in runs]


def stop() -> None:
    """Stop all that goes on, and keep what was learnt so far."""
    for background in {run.background for run in going_on()}:
        background.stop()


def _folder() -> Path:
    """A folder of this session for its checkpoints, deleted with it."""
    if _FOLDER not in st.session_state:
        folder = tempfile.TemporaryDirectory(prefix="headlight-training-", ignore_cleanup_errors=True)
        st.session_state[_FOLDER] = folder
        resources.session().at_end(folder.cleanup)
    return Path(st.session_state[_FOLDER].name)
