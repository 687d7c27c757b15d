"""The models that are open, shared by everybody and bounded in memory."""

from __future__ import annotations

from core.jobs import Job, Store
from core.models.devices import best_device
from core.models.loading import load
from core.models.model import Model


class ModelPool:
    """Opens a model once for all who ask, and lets the least recently used go when the weights pass the bound."""

    def __init__(self, max_bytes: int) -> None:
        self._models = Store(max_bytes)

    def get(self, name: str, dtype: str, job: Job) -> Model:
        """The model on the best device here, opened now if nobody did before. Raises HeadlightError like `load`."""
        device = best_device()
        return self._models.get_or_make(
            (name, device, dtype),
            make=lambda: load(name, device=device, dtype=dtype, job=job),
            size=lambda model: model.nbytes,
            while_waiting=lambda: job.waiting(1),
        )
