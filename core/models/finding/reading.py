"""What the network of a config reads where that is no text: told by its class, before anything of it is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from core.models.finding.lacking import class_of

# What transformers calls the main input of a class -> what that is.
_OTHERS = {
    "pixel_values": "images",
    "pixel_values_videos": "videos",
    "flattened_patches": "images",
    "input_features": "sound",
    "input_values": "sound",
    "audio_mel": "sound",
    "spectrogram": "sound",
    "past_values": "series of numbers",
}


def reads_instead(config: Mapping[str, Any]) -> str:
    """A clause for a network of transformers whose main input is no text; "" for all others.

    "ViTModel, which reads images (pixel_values) and no text".
    """
    model_type = config.get("model_type")
    found = _class_in(model_type, class_of(config)) if isinstance(model_type, str) else None
    if found is None:
        return ""
    name = str(getattr(found, "main_input_name", ""))
    return f"{found.__name__}, which reads {_OTHERS[name]} ({name}) and no text" if name in _OTHERS else ""


def _class_in(model_type: str, named: str | None) -> type | None:
    """The class that a config names, if its family has it, or the family's stack of layers; None for other families."""
    from transformers.models.auto.configuration_auto import (  # type: ignore[attr-defined]
        CONFIG_MAPPING_NAMES,
        model_type_to_module_name,
    )
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    if model_type not in CONFIG_MAPPING_NAMES:
        return None
    stack: str | Sequence[str] = MODEL_MAPPING_NAMES.get(model_type, "")
    first = stack if isinstance(stack, str) else stack[0]
    try:
        # Of this family alone: a name that a file gives must not have any other module imported.
        family = import_module(f"transformers.models.{model_type_to_module_name(model_type)}")
        found = getattr(family, named or first, None)
    except (ImportError, RuntimeError):  # a family that needs what is not installed; whoever opens it says so
        return None
    return found if isinstance(found, type) else None
