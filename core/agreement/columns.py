"""What is compared: one number a word, from a saliency method or from something as plain as the word's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.saliency.scores import Scores

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """One score for each word.

    name, title   of the method or of the baseline
    values        (n,)
    labels        the words
    signed        whether a negative score speaks against the target
    plain         whether it is a trivial baseline, which looks at no model
    """

    name: str
    title: str
    values: Array
    labels: tuple[str, ...]
    signed: bool = False
    plain: bool = False

    @property
    def sizes(self) -> Array:
        """The values without their signs, where those mean for and against."""
        return np.abs(self.values) if self.signed else self.values


def column_of(scores: Scores | Column) -> Column:
    """A method's scores as a column."""
    if isinstance(scores, Column):
        return scores
    return Column(scores.method, scores.title, scores.values, scores.labels, scores.signed)
