"""Taggers that read a text in both directions, each state then attending to all states."""

from typing import Any

from transformers import AutoModelForTokenClassification

from core.zoo.tagging.configuration import TaggingConfig
from core.zoo.tagging.modeling import RecurrentForTokenClassification

CONFIG = TaggingConfig
# Each with the class of transformers that opens it by its config.
MODELS: list[tuple[Any, type[RecurrentForTokenClassification]]] = [
    (AutoModelForTokenClassification, RecurrentForTokenClassification)
]

__all__ = ["CONFIG", "MODELS", "RecurrentForTokenClassification", "TaggingConfig"]
