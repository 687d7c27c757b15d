"""Our own architectures, made known to transformers' Auto classes and found by the name of their class."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from transformers import AutoConfig, PreTrainedModel


def registered(families: Iterable[ModuleType]) -> dict[str, type[PreTrainedModel]]:
    """The models of packages that name their CONFIG and, each with its Auto class, their MODELS; repeating is safe."""
    models: dict[str, type[PreTrainedModel]] = {}
    for family in families:
        AutoConfig.register(family.CONFIG.model_type, family.CONFIG, exist_ok=True)
        for auto, model in family.MODELS:
            auto.register(family.CONFIG, model, exist_ok=True)
            models[model.__name__] = model
    return models
