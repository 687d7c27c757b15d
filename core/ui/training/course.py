"""A course: one lesson or two that go on abreast, so that what is compared is compared at the same step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.jobs.background import sentence_of
from core.ui.training.lesson import Lesson


class Course:
    """Lessons in step. One that ends early or fails leaves the others going; each keeps its own error."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self._lessons = tuple(lessons)
        self._going = {lesson: lesson.steps() for lesson in lessons}

    def steps(self) -> Iterator[None]:
        """One step of each lesson in turn, one a `next()`."""
        while self._going:
            for lesson in tuple(self._going):
                self._advance(lesson, self._going[lesson])
                yield

    def afterwards(self) -> Iterator[None]:
        """After the end or a stop: the lesson that is one step behind catches up, and each is tested and saved."""
        furthest = max((lesson.step for lesson in self._going), default=0)
        for lesson in [lesson for lesson in self._going if lesson.step < furthest]:
            self._advance(lesson, self._going[lesson])
            yield
        self._going.clear()
        for lesson in self._lessons:
            rest = lesson.afterwards()
            while not lesson.error and _next_of(lesson, rest):
                yield

    def _advance(self, lesson: Lesson, steps: Iterator[None]) -> None:
        if not _next_of(lesson, steps):
            del self._going[lesson]


def _next_of(lesson: Lesson, steps: Iterator[None]) -> bool:
    """Take a step of a lesson; whether there may be more. An error ends this lesson alone."""
    try:
        next(steps)
    except StopIteration:
        return False
    except Exception as error:
        lesson.fail(sentence_of(error, lesson.recipe.title))
        return False
    return True
