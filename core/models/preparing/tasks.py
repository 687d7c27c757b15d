"""The class that an adapter's task asks for, and how many labels its own classifier has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.models.guessing.tensors import Shape

_CLASSIFIER = re.compile(r"(.+\.)?(classifier|score|classifier\.out_proj|qa_outputs)\.weight", re.ASCII)
LABELLED = ("SEQ_CLS", "TOKEN_CLS")
# What says how the labels of the base are called.
_LABELS = ("id2label", "label2id", "num_labels", "_num_labels", "problem_type")


def config_for(base: Mapping[str, Any], task: object, tensors: Mapping[str, Shape]) -> dict[str, Any]:
    """What config.json says of a base with the head of a task; tensors: the adapter's, by name.

    task: peft's name of it ("SEQ_CLS"). A class that the base's family lacks stays the base's own.
    """
    config = dict(base)
    if (architecture := _class_for(str(base.get("model_type")), task)) is not None:
        config["architectures"] = [architecture]
    count = _labels_in(tensors) if task in LABELLED else None
    if count is not None and count != _labels_of(base):
        config = {key: value for key, value in config.items() if key not in _LABELS} | {"num_labels": count}
    return config


def _class_for(model_type: str, task: object) -> str | None:
    from transformers.models.auto import modeling_auto as auto

    classes: dict[str, Mapping[str, Any]] = {
        "SEQ_CLS": auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        "TOKEN_CLS": auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES,
        "QUESTION_ANS": auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
        "CAUSAL_LM": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        "SEQ_2_SEQ_LM": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        "FEATURE_EXTRACTION": auto.MODEL_MAPPING_NAMES,
    }
    named = classes.get(str(task), {}).get(model_type)
    return named if isinstance(named, str) else None


def _labels_in(tensors: Mapping[str, Shape]) -> int | None:
    found = [shape for name, shape in tensors.items() if _CLASSIFIER.fullmatch(name) and len(shape) == 2]
    return found[0][0] if found else None


def _labels_of(config: Mapping[str, Any]) -> int:
    """As transformers counts them: two where nothing is said."""
    named = config.get("id2label")
    said = config.get("num_labels")
    if isinstance(named, dict):
        return len(named)
    return said if type(said) is int else 2
