"""Classifiers that sum the states of a text by attention."""

from typing import Any

from transformers import AutoModelForSequenceClassification

from core.zoo.pooling.configuration import PoolingConfig, guide_values
from core.zoo.pooling.modeling import PoolingForSequenceClassification

CONFIG = PoolingConfig
# Each with the class of transformers that opens it by its config.
MODELS: list[tuple[Any, type[PoolingForSequenceClassification]]] = [
    (AutoModelForSequenceClassification, PoolingForSequenceClassification)
]

__all__ = ["CONFIG", "MODELS", "PoolingConfig", "PoolingForSequenceClassification", "guide_values"]
