"""Toy tasks whose right alignment is known: TASKS by name, each a `Task` that makes `Pair`s. One file a task."""

from core.training.tasks import copy, dates, reverse, sort
from core.training.tasks.task import Pair, Task

__all__ = ["TASKS", "Pair", "Task"]

TASKS: dict[str, Task] = {task.name: task for task in (copy.TASK, reverse.TASK, sort.TASK, dates.TASK)}
