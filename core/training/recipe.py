"""A recipe: which task is learnt by which network, and how; all that a run on the Training page needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.errors import HeadlightError
from core.training.options import Options
from core.training.settings import Settings
from core.training.tasks import TASKS, Task

# What a value is called where the name in the code does not say it.
_CALLED = {
    "batch_size": "batch",
    "accumulate": "accumulation",
    "learning_rate": "learning rate",
    "warmup": "warm-up",
    "clip": "clipping",
    "label_smoothing": "label smoothing",
    "smoothing": "smoothing over",
    "word_dropout": "word dropout",
    "weight_decay": "weight decay",
    "norm": "LayerNorm",
}


@dataclass(frozen=True)
class Recipe:
    """One training run: a task's name, the network's settings and the trainer's options.

    Raises HeadlightError for a task that is not there, and for options that the network has no use for.
    """

    task: str
    settings: Settings
    options: Options

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise HeadlightError(f"task is “{self.task}”: choose one of {', '.join(TASKS)}.")
        if self.options.checkpointing and not self.settings.is_transformer:
            raise HeadlightError(
                "Gradient checkpointing works layer by layer, which only the Transformer here can do: switch it off."
            )

    @property
    def toy(self) -> Task:
        """The task itself."""
        return TASKS[self.task]

    @property
    def title(self) -> str:
        """What a run is called: "Reverse · GRU, additive attention"."""
        return f"{self.toy.title} · {self.settings.title}"

    def differs(self, other: Recipe) -> tuple[str, ...]:
        """This recipe's own values where the other has different ones, in words: ("warm-up 100",)."""
        found: tuple[str, ...] = () if self.task == other.task else (self.toy.title,)
        for own, others in ((self.settings, other.settings), (self.options, other.options)):
            found += tuple(
                _worded(field.name, getattr(own, field.name))
                for field in fields(own)
                if getattr(own, field.name) != getattr(others, field.name)
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values that JSON keeps; `recipe_of` reads them back."""
        return asdict(self)


def recipe_of(values: Mapping[str, Any]) -> Recipe:
    """The recipe that `Recipe.as_dict` wrote. Raises HeadlightError when the values make none."""
    try:
        return Recipe(values["task"], Settings(**values["settings"]), Options(**values["options"]))
    except (KeyError, TypeError) as error:
        raise HeadlightError("This is no recipe of Headlight's training: its values are missing or unknown.") from error


def _worded(name: str, value: object) -> str:
    called = _CALLED.get(name, name.replace("_", " "))
    if name == "architecture":
        return Settings(architecture=str(value)).title
    if name == "dropping":
        return f"words dropped from {'all' if value == 'even' else 'some'} texts"
    if value is None or value is False:
        return f"no {called}"
    if value is True:
        return called
    return f"{called} {value:g}" if isinstance(value, float) else f"{called} {value}"
