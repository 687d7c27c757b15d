"""One training run as a thread does it: prepare, train, test on longer inputs, save. Nothing here knows the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.training import Evaluation, History
from core.training.history import Record
from core.training.recipe import Recipe

if TYPE_CHECKING:
    from core.training.prepare import Prepared

TRAINING = "training"


class Lesson:
    """What a run has to show so far. The network itself is let go of once it is saved.

    parameters: number of weights, 0 until the network is made. finished: whether it came to its own end. error: the
    sentence that it failed with, or "". result: what the network that was kept is worth, None until it was tested.
    lengths: what examples of each source length told at the end. checkpoint: the folder, None until it is written.
    stage: what it is at, in words.
    """

    def __init__(self, recipe: Recipe, device: str, folder: Path) -> None:
        self.recipe = recipe
        self.device = device
        self.parameters = 0
        self.finished = False
        self.error = ""
        self.result: Evaluation | None = None
        self.lengths: Mapping[int, Evaluation] = {}
        self.checkpoint: Path | None = None
        self.stage = "getting ready"
        self._history = History()
        self._last = Record((), (), ())
        self._folder = folder
        self._prepared: Prepared | None = None

    @property
    def step(self) -> int:
        """Optimiser steps done."""
        steps = self._history.now().steps
        return steps[-1].step if steps else 0

    @property
    def record(self) -> Record:
        """All reports so far, and after a stop what the network was worth and where it looked at that step."""
        record = self._history.now()
        return replace(
            record,
            evaluations=record.evaluations + self._last.evaluations,
            snapshots=record.snapshots + self._last.snapshots,
        )

    def steps(self) -> Iterator[None]:
        """Train, one optimiser step a `next()`. Raises HeadlightError where training cannot go on."""
        from core.training.prepare import prepared

        self._prepared = prepared(self.recipe, self.device)
        self.parameters = sum(weights.numel() for weights in self._prepared.network.parameters())
        self.stage = TRAINING
        for report in self._prepared.trainer.run():
            self._history.append(report)
            yield
        self.finished = True
        self.stage = "waiting for the other run"

    def afterwards(self) -> Iterator[None]:
        """Test and save what was learnt, in three steps; nothing if the network was not made yet."""
        from core.training.saving import save

        if self._prepared is None:
            return
        self.stage = "testing it on longer inputs" if self.recipe.toy.unseen else "testing it"
        self.result = self._told(self._prepared)
        yield
        self.lengths = self._prepared.evaluate_by_length()
        yield
        self.stage = "saving it"
        # The session may have ended, and its folder with it.
        if self._folder.parent.is_dir():
            save(self._prepared, self._folder, self.record)
            self.checkpoint = self._folder
        self._prepared = None
        yield

    def fail(self, sentence: str) -> None:
        """Training or saving could not go on."""
        self.error = sentence
        self._prepared = None

    def _told(self, prepared: Prepared) -> Evaluation:
        """What the network that is kept is worth: early stopping keeps the best one, any other end the last one.

        Raises HeadlightError where a stopped network's loss is not finite.
        """
        evaluation, snapshot = prepared.trainer.finish()
        self._last = Record((), () if evaluation is None else (evaluation,), () if snapshot is None else (snapshot,))
        return prepared.trainer.best or prepared.evaluate()
