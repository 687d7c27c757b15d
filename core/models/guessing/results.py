"""What a guess consists of, and what a family proposes before it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Question:
    """A value of the config that tensors do not tell.

    name     its key in the config
    value    what the guess takes for it
    options  usual values, that one among them; another may be given
    why      one sentence: what the value taken rests on
    """

    name: str
    value: Any
    options: tuple[Any, ...]
    why: str


@dataclass(frozen=True)
class Guess:
    """An architecture that the tensors of a file may belong to.

    architecture    name of the class, as config.json has it
    config          what config.json would say, both names included
    share           of the file's tensors, the part that the network so configured has, with the same shape; 0 to 1
    missing         tensors of the network that the file lacks or has in another shape; ties are allowed for
    left            tensors of the file that have no place in the network
    reason          one sentence with the names and shapes that tell
    open_questions  what they do not tell
    """

    model_type: str
    architecture: str
    config: dict[str, Any]
    share: float
    missing: tuple[str, ...]
    left: tuple[str, ...]
    reason: str
    open_questions: tuple[Question, ...]


@dataclass(frozen=True)
class Places:
    """Where the tensors of a file belong in a guessed network.

    names   what each that has a place is called there, by its name in the file
    turned  names in the file of those that lie there transposed
    zeros   shapes, by the network's names, of biases that it has and the file was built without
    tied    for tensors in the file that the network has as one unless it is told otherwise, two names in the file
    """

    names: dict[str, str]
    turned: frozenset[str] = frozenset()
    zeros: dict[str, tuple[int, ...]] = field(default_factory=dict)
    tied: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Draft:
    """A guess not yet judged. `sign`: how much besides the shapes speaks for it; it orders guesses that fit alike."""

    model_type: str
    architecture: str
    sizes: dict[str, Any]
    reason: str
    questions: tuple[Question, ...] = field(default=())
    sign: int = 0

    @property
    def config(self) -> dict[str, Any]:
        """What config.json would say, with the values taken for open questions."""
        taken = {question.name: question.value for question in self.questions}
        named = {"model_type": self.model_type, "architectures": [self.architecture]}
        return named | self.sizes | taken
