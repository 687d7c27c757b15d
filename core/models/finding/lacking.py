"""What a model lacks before it can be opened, and what will be asked or done about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from core.models.finding.results import Missing
from core.models.finding.telling import quoted

# What classes end with whose head no other weights can stand for, and what the tensors of such a head are called.
_HEADS = (
    ("ForSequenceClassification", ("classifier", "score", "classification_head", "logits_proj", "sequence_summary")),
    ("ForTokenClassification", ("classifier", "score")),
    ("ForQuestionAnswering", ("qa_outputs",)),
    ("ForMultipleChoice", ("classifier", "sequence_summary")),
)
_CHOOSE = "choose the architecture, for which the tensors give guesses"


def class_of(config: Mapping[str, Any]) -> str | None:
    """The class that a config names; None where it names none."""
    classes = config.get("architectures")
    return classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else None


def of_config(config: Mapping[str, Any] | None, refused: bool) -> Iterator[Missing]:
    """What the config lacks. config: None where there is none or none that can be read; refused: the latter."""
    if config is None:
        why = "The config.json cannot be read" if refused else "There is no config.json"
        yield Missing("config", f"{why}, which would say what network the weights belong to: {_CHOOSE}.")
        return
    model_type, brings = config.get("model_type"), "auto_map" in config
    program = ", and the program that it brings is never run" if brings else ""
    if not isinstance(model_type, str) or not model_type:
        yield Missing("model_type", f"The config.json does not say its model_type{program}: {_CHOOSE}.")
    elif not _is_known(model_type):
        yield Missing(
            "model_type",
            f"The config.json says {quoted(model_type)}, which is no architecture of Headlight or transformers"
            f"{program}: {_CHOOSE}.",
        )
    elif (named := class_of(config)) is not None and not _is_class(named):
        yield Missing(
            "model_type",
            f"The config.json says {quoted(named)}, which is no class of Headlight or transformers{program}: "
            f"{_CHOOSE}.",
        )


def of_head(config: Mapping[str, Any], names: Iterable[str]) -> Iterator[Missing]:
    """The head that a config's class has and no tensor is named for."""
    named = class_of(config) or ""
    parts = next((parts for end, parts in _HEADS if named.endswith(end)), None)
    if parts is None or any(part in name.split(".") for name in names for part in parts):
        return
    yield Missing(
        "head",
        f"The config.json asks for {quoted(named)}, and no tensor belongs to such a head: the layers open as they "
        "are, and whatever the head would say comes from random weights.",
    )


def of_tokenizer() -> Missing:
    """For weights without a tokenizer."""
    return Missing("tokenizer", "There is no tokenizer, which turns a text into the ids that it reads: choose one.")


def of_base(base: str | None) -> Missing:
    """For an adapter. base: what it calls the model that it was trained on."""
    called = f", which it calls {quoted(base)}" if base else ""
    return Missing("base", f"An adapter holds only what was changed in its base{called}: choose that model.")


def _is_known(model_type: str) -> bool:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES  # type: ignore[attr-defined]

    if model_type in CONFIG_MAPPING_NAMES:
        return True
    from core.zoo import ARCHITECTURES

    return model_type in {getattr(model.config_class, "model_type", None) for model in ARCHITECTURES.values()}


def _is_class(name: str) -> bool:
    if name in _names_of_transformers():
        return True
    from core.zoo import ARCHITECTURES

    return name in ARCHITECTURES


@cache
def _names_of_transformers() -> frozenset[str]:
    """Listed once, for that takes a sixth of a second; asking for one name would import the module that it is from."""
    import transformers

    return frozenset(dir(transformers))
