"""Which class of a family a folder is opened as, by its config or its tensors, and whether that class reads a text."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import transformers
from transformers import PreTrainedConfig, PreTrainedModel

from core.capture.families import REASONS
from core.errors import HeadlightError
from core.models.adapters.settings import Settings
from core.models.answers import fields_answered
from core.models.checking_files.entries import Stored
from core.models.guessing import guesses
from core.models.hub import MODULES
from core.models.opening.configs import model_class_of
from core.models.opening.heads import base_class_of, taken_by
from core.models.pooling import pools
from core.models.quoting import shown

# The mappings of transformers by what peft calls a task.
TASKS = {
    "SEQ_CLS": "AutoModelForSequenceClassification",
    "TOKEN_CLS": "AutoModelForTokenClassification",
    "QUESTION_ANS": "AutoModelForQuestionAnswering",
    "CAUSAL_LM": "AutoModelForCausalLM",
    "SEQ_2_SEQ_LM": "AutoModelForSeq2SeqLM",
    "FEATURE_EXTRACTION": "AutoModel",
}
# What an adapter that was trained to classify brings whole.
LABELLERS = ("classifier.weight", "score.weight", "classifier.out_proj.weight")
# What the library calls the inputs that are no text.
_INPUTS = {
    "image": "images", "pixel_values": "images", "flattened_patches": "images", "video": "videos",
    "pixel_values_videos": "videos", "audio": "sound", "input_values": "sound", "input_features": "sound",
    "audio_mel": "sound", "time": "time series", "past_values": "time series",
}  # fmt: skip
# Families with embeddings for a text that end in an error where nothing else comes with it.
_NEVER_ALONE = {
    "bridgetower": "images", "bros": "the places of words on a page", "idefics": "images",
    "llama4": "images", "lxmert": "the regions of an image", "udop": "the places of words on a page", "vilt": "images",
    "voxtral_realtime": "sound",
}  # fmt: skip
_COMPARED = ("logits_per_text", "logits_per_image", "logits_per_video", "logits_per_audio")


def require_text(name: str, network: PreTrainedModel) -> None:
    """Raise HeadlightError, one sentence that says what it reads, for a network that does not read a text alone.

    network: with or without its weights.
    """
    model_class, config = type(network), network.config
    other = _NEVER_ALONE.get(config.model_type) or _read_beside(model_class)
    if not _takes_ids(model_class):
        cause = f"it reads {other}, and no text alone" if other else "it reads only what other networks hand it"
    elif fields_answered(network) & {*_COMPARED}:
        cause = f"it compares texts with {other or 'something else'}, and reads no text alone"
    elif config.model_type in _NEVER_ALONE:
        cause = f"it reads {other} beside every text"
    elif not _has_embedding(network):
        cause = f"it reads {other} beside a text" if other else "it has no embeddings for the tokens of a text"
    else:
        return
    parts = [part.__name__ for part in _text_parts(config)]
    remedy = (
        f"save its text part by itself, of the class {parts[0]}, and open that" if parts else "choose another model"
    )
    raise HeadlightError(
        f"{name} is of the class {shown(model_class.__name__)}, which cannot be shown because {cause}: {remedy}."
    )


def _modalities(model_class: type[PreTrainedModel]) -> tuple[str, ...]:
    told = model_class.input_modalities
    return (told,) if isinstance(told, str) else tuple(told)


def _takes_ids(model_class: type[PreTrainedModel]) -> bool:
    """Whether a class reads the ids of a text, by its own account and by its forward's arguments."""
    takes = "input_ids" in inspect.signature(model_class.forward).parameters
    return takes and model_class.main_input_name == "input_ids" and "text" in _modalities(model_class)


def _read_beside(model_class: type[PreTrainedModel]) -> str:
    """What a class reads that is no text, in words."""
    told = model_class.main_input_name, *_modalities(model_class)
    return " and ".join(dict.fromkeys(_INPUTS[name] for name in told if name in _INPUTS))


def _has_embedding(network: PreTrainedModel) -> bool:
    """Whether a network says where its table of embeddings is; the library raises this error where one has none."""
    try:
        return network.get_input_embeddings() is not None
    except NotImplementedError:
        return False


def _text_parts(config: PreTrainedConfig) -> Iterator[type[PreTrainedModel]]:
    """Classes of the configs inside one that read a text alone."""
    for part in vars(config).values():
        if isinstance(part, PreTrainedConfig) and part.model_type not in REASONS:
            found = base_class_of(part)
            if found is not None and _takes_ids(found) and _modalities(found) == ("text",):
                yield found


def chosen_class(
    name: str, folder: Path, config: Any, tensors: Mapping[str, Stored]
) -> tuple[type[PreTrainedModel], str]:
    """The class to open a folder as, and a note on how it was chosen; "" where the config names it.

    What sentence-transformers pools is a stack without a head, whatever its config names.
    Raises HeadlightError where the config names one that nobody has, or none and its family has none.
    """
    base = model_class_of(name, folder, config)
    if pools(folder) and (stack := _stack_of(config)) not in (None, base):
        return stack, f"Its {MODULES} pools states, so it was opened as {stack.__name__} and not as {base.__name__}."
    if config.architectures:
        return base, ""
    told = _told(config.model_type, base, tensors)
    if told is None:
        return base, f"Its config names no class and its tensors tell no head, so it was opened as {base.__name__}."
    return told, f"Its config names no class, and the names of its tensors tell {told.__name__}."


def adapted_class(name: str, folder: Path, config: Any, settings: Settings, own: bool) -> type[PreTrainedModel]:
    """The class that an adapter was trained on. own: whether the config is the adapter's, and names that class."""
    mapping = None if own else getattr(transformers, TASKS.get(settings.task, ""), None)
    found = mapping._model_mapping.get(type(config), None) if mapping else None
    if isinstance(found, type) and issubclass(found, PreTrainedModel):
        return found
    return model_class_of(name, folder, config)


def labels_brought(tensors: Mapping[str, Stored]) -> int | None:
    """How many labels the classifier has that an adapter brings; None where it brings none."""
    rows = (stored.shape[0] for key, stored in tensors.items() if stored.shape and key.endswith(LABELLERS))
    return next(rows, None)


def _stack_of(config: Any) -> type[PreTrainedModel] | None:
    """The stack of a family whose last states are pooled: the encoder's where there is a decoder."""
    stack = base_class_of(config)
    if stack is None or not config.is_encoder_decoder:
        return stack
    return getattr(transformers, f"{stack.__name__.removesuffix('Model')}EncoderModel", None)


def _told(model_type: str, base: type[PreTrainedModel], tensors: Mapping[str, Stored]) -> type[PreTrainedModel] | None:
    """The class that shapes and names agree on, or None where they leave several or none but the bare stack."""
    likely = [
        guess
        for guess in guesses({key: stored.shape for key, stored in tensors.items()})
        if guess.model_type == model_type
    ]
    fits = [(guess.share, -len(guess.missing)) for guess in likely]
    best = {guess.architecture for guess, fit in zip(likely, fits, strict=True) if fit == fits[0]}
    named = best.pop() if len(best) == 1 else taken_by(base.__name__, tensors)
    found = getattr(transformers, named, None) if named and shown(named) == named else None
    is_one = isinstance(found, type) and issubclass(found, PreTrainedModel) and found is not base
    return found if is_one else None
