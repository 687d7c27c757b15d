"""Lessons that go on abreast: at the same step, each with its own end, and told truly after a stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.training.defaults import default_recipe
from core.training.recipe import Recipe
from core.ui.training.course import Course
from core.ui.training.lesson import Lesson


def recipe(architecture: str = "additive", **options: object) -> Recipe:
    base = default_recipe("copy", architecture)
    values = {"steps": 5, "batch_size": 4, "evaluate_every": 50, "snapshot_every": 50, **options}
    return replace(base, settings=replace(base.settings, width=8), options=replace(base.options, **values))


def begun(tmp_path: Path, *recipes: Recipe) -> tuple[list[Lesson], Course]:
    lessons = [Lesson(each, "cpu", tmp_path / str(number)) for number, each in enumerate(recipes)]
    return lessons, Course(lessons)


def test_two_lessons_take_each_step_together(tmp_path):
    (one, other), course = begun(tmp_path, recipe(), recipe("none"))
    gaps = {abs(one.step - other.step) for _ in course.steps()}
    assert gaps <= {0, 1}
    assert (one.step, other.step, one.finished, other.finished) == (5, 5, True, True)


def test_a_stop_between_the_two_ends_both_at_the_same_step_and_tells_what_they_are_worth_there(tmp_path):
    lessons, course = begun(tmp_path, recipe(), recipe("none"))
    steps = course.steps()
    # Two of step 0, four of the steps 1 and 2, and the first lesson's step 3.
    for _ in range(7):
        next(steps)
    assert [lesson.step for lesson in lessons] == [3, 2]
    for _ in course.afterwards():
        pass
    for lesson in lessons:
        assert lesson.result is not None
        assert lesson.result.step == lesson.record.steps[-1].step == lesson.record.evaluations[-1].step == 3
        assert lesson.record.snapshots[-1].step == 3
        assert lesson.checkpoint is not None
        assert not lesson.finished


def test_one_that_diverges_or_ends_early_leaves_the_other_going(tmp_path):
    wild = recipe(learning_rate=100.0, schedule="constant", weight_decay=10.0, steps=200, clip=None)
    (bad, short, good), course = begun(tmp_path, wild, recipe(steps=2), recipe(steps=60))
    for _ in course.steps():
        pass
    for _ in course.afterwards():
        pass
    assert bad.error.startswith("Training stopped at step")
    assert bad.checkpoint is None
    assert (short.error, good.error) == ("", "")
    assert [lesson.result.step for lesson in (short, good) if lesson.result] == [2, 60]


def test_a_lesson_beside_another_learns_what_it_learns_alone(tmp_path):
    (alone,), course = begun(tmp_path / "alone", recipe())
    (beside, _), both = begun(tmp_path / "both", recipe(), recipe("none"))
    for each in (course, both):
        for _ in each.steps():
            pass
    assert [report.loss for report in alone.record.steps] == [report.loss for report in beside.record.steps]


def test_early_stopping_is_told_by_the_evaluation_of_the_network_that_it_keeps(tmp_path):
    (lesson,), course = begun(tmp_path, recipe(steps=40, patience=1, evaluate_every=1, learning_rate=1.0))
    for _ in course.steps():
        pass
    for _ in course.afterwards():
        pass
    best = min(lesson.record.evaluations, key=lambda evaluation: evaluation.loss)
    assert lesson.step < 40
    assert lesson.result == best
