"""What the config.json of a folder says, checked before a library makes something of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import transformers
from transformers import AutoConfig, PreTrainedModel

from core.capture import capturable
from core.errors import HeadlightError
from core.models.checking_configs.checked import CONFIG, MOST_LABELS, MOST_NBYTES
from core.models.checking_configs.json_files import object_or_nothing
from core.models.opening.heads import base_class_of, classes_of
from core.models.opening.weights import WeightFiles
from core.models.quoting import shown
from core.models.wording import worded
from core.zoo import ARCHITECTURES

# Of an absurd number of these, the libraries would write lists for hours before they read the first weight.
FEW_LAYERS = 1_000
_LAYERS = re.compile(r"(num|n)_(\w+_)?layers?|(en|de)coder_layers")


def read_config(name: str, folder: Path) -> Any:
    """The config of a folder. Raises HeadlightError, one sentence, where no library knows what it describes."""
    unknown = f"{name}: its config.json does not describe an architecture that the installed transformers knows"
    with worded(f"{unknown}{_own_code(folder)}."):
        if int(_stated(folder).get("num_labels", 0)) > MOST_LABELS:
            raise ValueError("more labels than anybody could tell apart")
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    config.return_dict = True  # answers are read by name
    config.transformers_weights = None  # would name other weight files than those that were looked into
    return capturable(config, name)


def _stated(folder: Path) -> dict[str, Any]:
    """What a config.json says, before any library makes something of it; nothing where it cannot be read."""
    return object_or_nothing(folder / CONFIG, MOST_NBYTES)


def _own_code(folder: Path) -> str:
    """A clause for folders that bring a program along."""
    return ", and the code that it brings is never run" if "auto_map" in _stated(folder) else ""


def require_layers(name: str, folder: Path, files: WeightFiles) -> None:
    """Raise HeadlightError for more layers than there are tensors. Layers may share theirs, and so a few always may."""
    most = max(len(files.tensors), FEW_LAYERS)
    for key, count in _stated(folder).items():
        if _LAYERS.fullmatch(key) and isinstance(count, int) and count > most:
            raise HeadlightError(
                f"{name}: its config.json asks for {count:,} layers, and its weights are {len(files.tensors):,} "
                "tensors; get its files again."
            )


def model_class_of(name: str, folder: Path, config: Any) -> type[PreTrainedModel]:
    """The class that the config names, so that a classifier keeps its head and a language model its own.

    That of its family without a head where it names none. Raises HeadlightError where nobody has such a class.
    """
    if not config.architectures and (base := base_class_of(config)) is not None:
        return base
    named = str((config.architectures or [""])[0])
    model_class = ARCHITECTURES.get(named) or getattr(transformers, named, None)
    # The base class of all is no model, and trying it once would spoil what the library remembers of all others.
    if (
        not (isinstance(model_class, type) and issubclass(model_class, PreTrainedModel))
        or model_class is PreTrainedModel
    ):
        raise HeadlightError(
            f"{name}: its architecture, {shown(named) or 'unnamed'}, is neither one of Headlight's nor one that "
            f"transformers offers{_own_code(folder)}."
        )
    own: Any = model_class.config_class
    # A class of another family would read sizes by names that nobody has looked at, but for those that have none of
    # their own: the library opens Exaone and InternLM3 as Llama.
    is_of_family = own is not None and (issubclass(type(config), own) or issubclass(own, type(config)))
    if not is_of_family and named not in classes_of(config.model_type):
        raise HeadlightError(
            f"{name}: its architecture, {shown(named)}, is none of the family {shown(config.model_type)} that its "
            "config.json names; get its config.json again."
        )
    return model_class
