"""The models that are open, shared by everybody and bounded in memory."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import torch

from core.errors import HeadlightError
from core.jobs import Job, Store
from core.models.catalogue import find
from core.models.devices import best_device
from core.models.estimate import NoRoom
from core.models.folders import below_roots
from core.models.hub import hub_id, snapshot
from core.models.loading import load
from core.models.model import Model


class ModelPool:
    """Opens a model once for all who ask, and lets the least recently used go when the weights pass the bound."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._models = Store(max_bytes)

    def get(
        self,
        name: str,
        dtype: str,
        job: Job,
        *,
        device: str | None = None,
        insist: bool = False,
        folder: Path | None = None,
    ) -> Model:
        """The model, opened now if nobody did before; on the best device here where `device` is None.

        name: of the catalogue, of a downloaded hub model, or of a folder below the roots: other folders stay closed.
        folder: that of a browser session's own model, which then is called `name`; whoever knows no folder cannot ask.
        Raises HeadlightError like `load`, and for a model larger than the pool, which would be read anew each time.
        """

        def opened() -> Model:
            return load(
                openable(name) if folder is None else str(folder),
                called=name,
                device=device,
                dtype=dtype,
                job=job,
                insist=insist,
                most_bytes=self._max_bytes,
            )

        return self._models.get_or_make(
            (name, folder, device or best_device(), dtype, insist),
            make=lambda: self._with_room(opened),
            size=lambda model: model.nbytes,
            while_waiting=lambda: job.waiting(1),
        )

    def close(self, folder: Path) -> None:
        """Let go of the models of a folder that is given up."""
        self._models.drop(lambda key: isinstance(key, tuple) and key[1] == folder)

    def _with_room(self, opened: Callable[[], Model]) -> Model:
        """Let go of the models that nobody uses now, where that makes room for the one that is asked for."""
        try:
            return opened()
        except NoRoom as refusal:
            if refusal.missing > self._models.nbytes:
                raise
        kept = set(self._models.keys())
        self._models.drop(lambda key: key in kept)
        gc.collect()  # networks refer to themselves
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return opened()


def openable(name: str) -> str:
    """The name that `load` takes for what a browser may open. Raises HeadlightError for what it may not."""
    wanted = hub_id(name)
    if find(name) or (wanted and snapshot(wanted)):
        return name
    try:
        return str(below_roots(name))
    except HeadlightError:
        if wanted is None:
            raise
    raise HeadlightError(
        f"{name} is not downloaded, nor a model folder below the folders that this server opens: check the name, or "
        "download it first."
    )
