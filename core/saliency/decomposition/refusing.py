"""Which models the decompositions can read, asked without importing torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.models.model import Model


def refuse(model: Model) -> str:
    """Why the model's layers cannot be read, in one sentence; "" where they can."""
    from core.saliency.decomposition.families import refusal

    return refusal(model.network)
