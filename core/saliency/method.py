"""What a saliency method is: its words, what it needs, what it costs, and the function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from core.models.model import Model
    from core.saliency.question import Question
    from core.saliency.runner import Runner

FAMILIES = ("attention", "decomposition", "gradient", "perturbation")
MERGES = ("sum", "largest", "native")
CHOICES = ("scalar", "baseline", "aggregation")
# Scores that should sum to something miss it by this share at most, or it is said.
ENOUGH = 0.01


@dataclass(frozen=True)
class Passes:
    """How often one text goes through the model forwards, and how often a gradient comes back."""

    forwards: float
    backwards: float = 0.0


@dataclass(frozen=True, eq=False)
class Raw:
    """What a method's function returns.

    values  (T,) a score for each token of the text, merged into words later; or (groups,) where the method is "native"
    delta   relative error of the sum, see `Scores.completeness_delta`
    error   (groups,) standard error of each score
    rest    what special tokens and biases got; None to sum what the values give to tokens in no group
    """

    values: Tensor
    delta: float | None = None
    error: Tensor | None = None
    rest: float | None = None
    checks: tuple[str, ...] = ()
    note: str = ""


def _always(_: Model) -> str:
    return ""


@dataclass(frozen=True)
class Method:
    """One saliency method, registered by its name in `core.saliency.METHODS`.

    about    one sentence for the menu: what its numbers say
    family   one of `FAMILIES`
    tier     1: run at once, 2: Transformers, soon, 3: slow, on a click
    uses     which of `CHOICES` it depends on
    merge    how tokens become words, see `merge`; "native": by itself
    draws    whether it draws at random, from `Runner.seed`
    formula  LaTeX
    refuse   "" for a model that it can explain, else the sentence why not
    cost     the passes it will take for a question
    run      the method itself
    """

    name: str
    title: str
    about: str
    family: str
    tier: int
    signed: bool
    class_specific: bool
    additive: bool
    merge: str
    formula: str
    cost: Callable[[Question], Passes]
    run: Callable[[Question, Runner], Raw]
    refuse: Callable[[Model], str] = _always
    uses: frozenset[str] = frozenset()
    draws: bool = False

    def __post_init__(self) -> None:
        for value, known in ((self.family, FAMILIES), (self.merge, MERGES)):
            if value not in known:
                raise ValueError(f"{value!r} is not one of {known}")
        if unknown := self.uses - set(CHOICES):
            raise ValueError(f"{unknown} are none of {CHOICES}")


def merge(values: Tensor, groups: Sequence[tuple[int, ...]], how: str) -> Tensor:
    """A score for each group of tokens: (T,) -> (groups,).

    how: "sum", which keeps sums whole, or "largest", the value of the largest size, for scores that do not add up.
    """
    parts = [values[list(group)] for group in groups]
    if how == "sum":
        return torch.stack([part.sum() for part in parts])
    return torch.stack([part[part.abs().argmax()] for part in parts])


def missed(total: float, difference: float) -> float:
    """How far scores that sum to `total` miss F − F(baseline), as a share of it."""
    return abs(total - difference) / max(abs(difference), 1e-6)


def missed_words(delta: float, after: str) -> str:
    """What is said of a sum that is off by a share; "" for one that is near enough."""
    return "" if delta <= ENOUGH else f"The sum is {delta:.1%} off after {after}: read it with care."
