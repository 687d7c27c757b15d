"""Architectures to choose from: the classes of a family, and families by name where nothing can be guessed."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.models.guessing import Guess
from core.ui.models.architecture.config_words import FIELDS

CLASSIFIERS = ("ForSequenceClassification", "ForTokenClassification")
FEWEST_LABELS = 2
BY_HAND = "Chosen by hand: the values are those that the family has where nobody says otherwise."


def classes_of(model_type: str) -> tuple[str, ...]:
    """Names of the classes that a family has for texts, the one without a head first; () for an unknown family."""
    own = [name for name, known in _own().items() if known.config_class.model_type == model_type]
    named = [mapping[model_type] for mapping in _mappings() if model_type in mapping]
    flat = (name for each in named for name in ((each,) if isinstance(each, str) else each))
    return tuple(dict.fromkeys([*own, *flat]))


@cache
def families() -> tuple[str, ...]:
    """Model types that the installed libraries know for texts, by name."""
    _, *headed = _mappings()
    own = {known.config_class.model_type for known in _own().values()}
    return tuple(sorted(own.union(*headed)))


def template(model_type: str) -> Guess | None:
    """A family as if it had been guessed, with its own values; None where the library cannot describe it."""
    from transformers import AutoConfig

    classes = classes_of(model_type)
    try:
        stated = AutoConfig.for_model(model_type).to_dict()
    except Exception:  # some families are described by others that must be given
        return None
    if not classes:
        return None
    known = {name: stated[name] for name in FIELDS if type(stated.get(name)) in (int, bool, float)}
    named: dict[str, Any] = {"model_type": model_type, "architectures": [classes[0]]}
    return Guess(model_type, classes[0], named | known, 0.0, (), (), BY_HAND, ())


def with_class(guess: Guess, architecture: str) -> Guess:
    """The guess for another class of its family; a classifier gets a number of labels."""
    config = guess.config | {"architectures": [architecture]}
    if architecture.endswith(CLASSIFIERS):
        config.setdefault("num_labels", FEWEST_LABELS)
    return Guess(
        guess.model_type, architecture, config, guess.share, guess.missing, guess.left, guess.reason,
        guess.open_questions,
    )  # fmt: skip


def _mappings() -> tuple[Any, ...]:
    """The library's tables from a family to its class, without a head first."""
    from transformers.models.auto import modeling_auto as auto

    return (
        auto.MODEL_MAPPING_NAMES,
        auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES,
        auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
    )


def _own() -> dict[str, Any]:
    from core.zoo import ARCHITECTURES

    return dict(ARCHITECTURES)
