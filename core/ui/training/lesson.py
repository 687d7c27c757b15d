"""One training run as a thread does it: prepare, train, test on longer inputs, save. Nothing here knows the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from core.training import Evaluation, History, StepReport
from core.training.recipe import Recipe

if TYPE_CHECKING:
    from core.training.prepare import Prepared

TRAINING = "training"


class Lesson:
    """What a run has to show so far. The network itself is let go of once it is saved.

    history: all reports. parameters: number of weights, 0 until the network is made. lengths: what examples of each
    source length told at the end. checkpoint: the folder, None until it is written. stage: what it is at, in words.
    """

    def __init__(self, recipe: Recipe, device: str, folder: Path) -> None:
        self.recipe = recipe
        self.device = device
        self.history = History()
        self.parameters = 0
        self.lengths: Mapping[int, Evaluation] = {}
        self.checkpoint: Path | None = None
        self.stage = "getting ready"
        self._folder = folder
        self._prepared: Prepared | None = None

    def steps(self) -> Iterator[StepReport]:
        """The reports of the trainer. Raises HeadlightError where training cannot go on."""
        from core.training.prepare import prepared

        self._prepared = prepared(self.recipe, self.device)
        self.parameters = sum(weights.numel() for weights in self._prepared.network.parameters())
        self.stage = TRAINING
        yield from self._prepared.trainer.run()

    def afterwards(self) -> Iterator[None]:
        """Test and save what was learnt, in two steps; nothing if the network was not made yet."""
        from core.training.saving import save

        if self._prepared is None:
            return
        self.stage = "testing it on longer inputs"
        self.lengths = self._prepared.evaluate_by_length()
        yield
        self.stage = "saving it"
        save(self._prepared, self._folder, self.history.now())
        self.checkpoint = self._folder
        self._prepared = None
        yield
