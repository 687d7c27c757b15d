"""Refusals that a person may overrule."""

from __future__ import annotations

from core.errors import HeadlightError


class RandomWeights(HeadlightError):
    """Tensors of the layers are not in the files: the maps would come from random weights, unless somebody insists."""
