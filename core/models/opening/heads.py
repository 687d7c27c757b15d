"""What the names of tensors tell about heads: which class of a family would take them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import transformers
from transformers import AutoModel, PreTrainedModel
from transformers.models.auto import modeling_auto

# What a class's name ends with, and how the names of its head's tensors begin; the most telling first.
HEADS = (
    ("ForPreTraining", ("cls.seq_relationship.", "discriminator_predictions.")),
    ("ForMaskedLM", (
        "cls.predictions.", "lm_head.dense.", "lm_head.layer_norm.", "vocab_transform.", "vocab_layer_norm.",
        "vocab_projector.", "predictions.", "generator_predictions.", "generator_lm_head.", "lm_predictions.",
        "decoder.bias",
    )),
    ("ForQuestionAnswering", ("qa_outputs.",)),
    ("ForSequenceClassification", ("classifier.", "score.", "pre_classifier.", "classification_head.")),
    ("ForConditionalGeneration", ("lm_head.", "final_logits_bias")),
    ("ForCausalLM", ("lm_head.", "embed_out.")),
    ("LMHeadModel", ("lm_head.",)),
    ("WithLMHeadModel", ("lm_head.", "pred_layer.")),
)  # fmt: skip
_OF_A_CLASS = re.compile(
    r"(?P<family>\w+?)(?:PreTrainedModel|EncoderModel|Model|For[A-Z]\w+|DoubleHeadsModel|LMHeadModel|WithLMHeadModel)"
)


def base_class_of(config: Any) -> type[PreTrainedModel] | None:
    """The class of a config's family without a head, or None where transformers has none."""
    try:
        found: Any = AutoModel._model_mapping[type(config)]
    except (KeyError, ValueError):  # a family that is not there, or a class that is named and not there
        return None
    if isinstance(found, list | tuple):  # some families have several
        found = found[0]
    return found if issubclass(found, PreTrainedModel) else None


@cache
def classes_of(model_type: str) -> frozenset[str]:
    """Names of the classes that the library's Auto classes open a family as."""
    mappings = (vars(modeling_auto)[name] for name in dir(modeling_auto) if name.endswith("_MAPPING_NAMES"))
    found = (mapping.get(model_type, ()) for mapping in mappings)
    return frozenset(name for names in found for name in ((names,) if isinstance(names, str) else names))


def taken_by(architecture: str, names: Iterable[str]) -> str:
    """The class of the same family as `architecture` that has a head of these tensors; "" where none is known."""
    family = _OF_A_CLASS.fullmatch(architecture)
    if family is None:
        return ""
    known = [name.removeprefix("module.").removeprefix("model.") for name in names]
    fitting = (suffix for suffix, heads in HEADS if any(name.startswith(heads) for name in known))
    classes = (family["family"] + suffix for suffix in fitting)
    return next((name for name in classes if hasattr(transformers, name)), "")
