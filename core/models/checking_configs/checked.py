"""A config.json, checked before a library makes something of it: bounded, of the right kinds, without own code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transformers import CONFIG_MAPPING

from core.errors import HeadlightError
from core.models.checking_configs.json_files import object_in
from core.models.checking_configs.sizes import check_sizes, said
from core.models.checking_files.telling import Wrong, quoted
from core.models.quoting import shown
from core.zoo import ARCHITECTURES

CONFIG, GENERATION = "config.json", "generation_config.json"
MOST_NBYTES = 4_000_000
DEEPEST = 16
# A model of several parts has a config for each; published ones nest them twice.
DEEPEST_CONFIG = 4
MOST_CLASSES = 1_000
MOST_LABELS = 1_000_000
MOST_TEXTS = 10_000
LONGEST_TEXT = 300
# Without groups and counts nothing can be repeated within a repetition, and two repetitions take little time.
_REPEATING, _REPEATED, MOST_REPEATED = re.compile(r"[({]"), re.compile(r"[*+]"), 2
_PARTS = ("encoder", "decoder", "generator", "question_encoder")
_DTYPES = (
    "auto", "float64", "float32", "float16", "bfloat16", "double", "float", "half", "int8", "uint8", "int4",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
)  # fmt: skip
_RUN_BY_NAME = ("attn_implementation", "_attn_implementation", "experts_implementation", "_experts_implementation")


def checked_config(name: str, folder: Path) -> dict[str, Any]:
    """What the config.json of a folder says. Raises HeadlightError, one sentence, for one that must not be opened.

    name: what sentences call the model.
    """
    config = object_in(folder / CONFIG, MOST_NBYTES, DEEPEST)
    try:
        _check(config)
    except Wrong as wrong:
        raise HeadlightError(
            f"{shown(name)}: its config.json is not used, because {wrong.what}: {wrong.cure}."
        ) from wrong
    return config


def check_generation(folder: Path) -> None:
    """Raise HeadlightError, one sentence, for settings for writing text that must not be read; there may be none."""
    path = folder / GENERATION
    if path.is_file():
        object_in(path, MOST_NBYTES, DEEPEST)


def remarks_on(config: dict[str, Any]) -> tuple[str, ...]:
    """Sentences about what a checked config asks for and does not get."""
    if not config.get("auto_map"):
        return ()
    return ("Its config.json names code of its own (auto_map), which is never run: transformers' own is used instead.",)


def _check(config: dict[str, Any]) -> None:
    for part in _configs_in(config):
        check_sizes(part)
        _check_kinds(part)
    _check_model_type(config)


def _configs_in(config: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A config and those of its parts, or Wrong where one lies in itself."""
    waiting: list[tuple[dict[str, Any], tuple[tuple[str, str], ...]]] = [(config, ())]
    while waiting:
        part, path = waiting.pop()
        if len(path) > DEEPEST_CONFIG:
            raise Wrong(f"it nests configs of parts more than {DEEPEST_CONFIG} deep")
        yield part
        for key, value in part.items():
            if isinstance(value, dict) and (key.endswith("config") or key in _PARTS):
                # Parts of another kind may have the same name: a speech model's encoder has one of its own.
                step = (key, str(value.get("model_type")))
                if step in path:
                    raise Wrong(f"{quoted(key)} lies within {quoted(key)}")
                waiting.append((value, (*path, step)))


def _check_kinds(config: dict[str, Any]) -> None:
    _check_classes(config.get("architectures"))
    for key in ("id2label", "label2id", "rope_scaling", "rope_parameters", "pruned_heads", "task_specific_params"):
        value = config.get(key)
        if not isinstance(value, dict | None):
            raise Wrong(f"{quoted(key)} is {said(value)}, and no object")
        if value and len(value) > MOST_LABELS:
            raise Wrong(f"{quoted(key)} has {len(value):,} entries and {MOST_LABELS:,} are allowed")
    for key in ("dtype", "torch_dtype"):
        value = config.get(key)
        if not (value is None or (isinstance(value, str) and value.removeprefix("torch.") in _DTYPES)):
            raise Wrong(f"{quoted(key)} is {said(value)}, and no format of numbers")
    for key in _RUN_BY_NAME:
        value = config.get(key)
        # With a slash it names a program on the hub.
        if not isinstance(value, str | dict | None) or (
            isinstance(value, str) and not value.replace("_", "").isalnum()
        ):
            raise Wrong(f"{quoted(key)} is {said(value)}, which would be code from elsewhere")
    for key in ("rope_scaling", "rope_parameters"):
        _check_rope(key, config.get(key) or {})
    _check_texts_of_quantisation(config.get("quantization_config"))


def _check_classes(names: Any) -> None:
    if names is None:
        return
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Wrong(f"“architectures” is {said(names)}, and no list of names")
    if len(names) > MOST_CLASSES:
        raise Wrong(f"“architectures” has {len(names):,} names")


def _check_rope(key: str, rope: dict[str, Any]) -> None:
    kind = rope.get("rope_type", rope.get("type"))
    if not isinstance(kind, str | None):
        raise Wrong(f"the type of {quoted(key)} is {said(kind)}, and no text")
    for name in ("factor", "rope_theta", "original_max_position_embeddings"):
        value = rope.get(name)
        if value is not None and (type(value) not in (int, float) or not 0 < value < 1e15):
            raise Wrong(f"{quoted(name)} of {quoted(key)} is {said(value)}, and no number above 0")


def _check_texts_of_quantisation(stated: Any) -> None:
    """Raise Wrong for texts that would run for ever: libraries match them, as regular expressions, with every name."""
    if not isinstance(stated, dict | None):
        raise Wrong(f"“quantization_config” is {said(stated)}, and no object")
    texts = list(_texts_in(stated or {}))
    if len(texts) > MOST_TEXTS:
        raise Wrong(f"“quantization_config” has {len(texts):,} texts and {MOST_TEXTS:,} are allowed")
    for text in texts:
        if len(text) > LONGEST_TEXT or _REPEATING.search(text) or len(_REPEATED.findall(text)) > MOST_REPEATED:
            raise Wrong(f"{quoted(text)} in “quantization_config” is no plain name of a module")


def _texts_in(part: Any) -> Iterator[str]:
    waiting = [part]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str):
            yield one


def _own_types() -> set[str]:
    """Those of Headlight's own architectures."""
    return {own.config_class.model_type for own in ARCHITECTURES.values() if own.config_class is not None}


def _check_model_type(config: dict[str, Any]) -> None:
    kind = config.get("model_type")
    if kind is None or kind == "":
        raise Wrong("it does not say its model_type", "choose its architecture on the Models page")
    if not isinstance(kind, str):
        raise Wrong(f"its model_type is {said(kind)}, and no text", "choose its architecture on the Models page")
    if kind in CONFIG_MAPPING or kind in _own_types():
        return
    if config.get("auto_map"):
        raise Wrong(
            f"its model_type {quoted(kind)} comes with code of its own (auto_map), which is never run",
            "choose an architecture of the installed transformers with the same layers on the Models page",
        )
    raise Wrong(
        f"its model_type {quoted(kind)} is none that the installed transformers knows",
        "choose its architecture on the Models page, or update transformers",
    )
