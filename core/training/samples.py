"""Sample and Supply: what a network is trained on, as token ids, and where batches of it come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Sample:
    """Token ids of one example, each text closed by </s> and without <s>.

    A classifier's target is the number of its label alone; a language model's source is empty.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]


class Supply(Protocol):
    """Micro-batches by number, from 0 and without end.

    A batch is a pure function of the supply's own seed and its number, so that a resumed run needs no state of it.
    """

    def __getitem__(self, index: int) -> Sequence[Sample]: ...
