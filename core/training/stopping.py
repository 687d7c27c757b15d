"""Early stopping: training ends when the development loss no longer falls, with the weights of its best evaluation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from torch import Tensor, nn

from core.training.reports import Evaluation
from core.training.weights import put_back, trained_weights


class EarlyStopping:
    """Keeps the best weights and counts the evaluations since (Prechelt 1998). With patience 0 it does neither."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._waited = 0
        self._weights: dict[str, Tensor] = {}
        self.best: Evaluation | None = None

    @property
    def over(self) -> bool:
        """Whether patience has run out."""
        return 0 < self._patience <= self._waited

    def hear(self, evaluation: Evaluation, network: nn.Module) -> None:
        """Take note of an evaluation of the network's present weights; its loss is finite."""
        if not self._patience:
            return
        if self.best is None or evaluation.loss < self.best.loss:
            self.best, self._weights, self._waited = evaluation, trained_weights(network), 0
        else:
            self._waited += 1

    def put_back_best(self, network: nn.Module) -> None:
        """Give the network the weights of its best evaluation."""
        put_back(network, self._weights)

    def state(self) -> dict[str, Any]:
        best = None if self.best is None else asdict(self.best)
        return {"waited": self._waited, "weights": dict(self._weights), "best": best}

    def restore(self, state: dict[str, Any]) -> None:
        self._waited, self._weights = state["waited"], dict(state["weights"])
        self.best = None if state["best"] is None else Evaluation(**state["best"])
