"""What every saliency method returns: a number for each word of a text, how it was made, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.saliency.target import Target
from core.text import Tokens

Array = npt.NDArray[np.float64]
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """One method's answer for one text.

    method, title       of the method: its name in `METHODS`, and its name for readers
    values              (groups,) the score of each word or token; special tokens and padding have none
    tokens, groups      the tokens of the text, and which of them each score belongs to
    labels              what each group shows, letter for letter
    signed              whether a negative score says that the word speaks against the target
    class_specific      whether the scores depend on what was asked about
    additive            whether the scores and `rest` sum to what is explained
    completeness_delta  how far that sum is off, as a share of what is explained; None where it sums to nothing
    rest                what special tokens and biases got of it
    error               standard error of each score, where the method draws at random
    target              what was asked about
    scalar, baseline, aggregation   choices that the method uses; "" for those it does not
    by                  "word" or "token"
    forwards, backwards passes of one text through the model that the method took
    seconds             that it took
    checks              what was checked, each in a few words
    note                what a figure must say besides
    model               its name
    Raises ValueError for parts that do not fit together or values that are not finite.
    """

    method: str
    title: str
    values: Array
    tokens: Tokens
    groups: Groups
    labels: tuple[str, ...]
    signed: bool
    class_specific: bool
    additive: bool
    completeness_delta: float | None
    rest: float
    error: Array | None
    target: Target
    scalar: str
    baseline: str
    aggregation: str
    by: str
    forwards: int
    backwards: int
    seconds: float
    checks: tuple[str, ...]
    note: str
    model: str

    def __post_init__(self) -> None:
        for name, size in (("labels", len(self.labels)), ("values", len(self.values))):
            if size != len(self.groups):
                raise ValueError(f"{size} {name} for {len(self.groups)} groups of tokens")
        if self.error is not None and self.error.shape != self.values.shape:
            raise ValueError(f"errors of shape {self.error.shape} for values of shape {self.values.shape}")
        if not np.isfinite(self.values).all():
            raise ValueError(f"{self.title} gave values that are not numbers")

    def comparable(self) -> Array:
        """The values, or their sizes where they are signed: what is put beside a score that knows no sign."""
        return np.abs(self.values) if self.signed else self.values

    @property
    def trivial(self) -> bool:
        """Whether all values are the same, so that they order nothing."""
        return len(self.values) < 2 or bool(np.ptp(self.values) == 0)
