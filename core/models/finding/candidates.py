"""The models that the files of an upload make up, folder by folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.models.finding import lacking
from core.models.finding.bases import base_of, bases_of
from core.models.finding.calling import name_of
from core.models.finding.choosing import is_adapter, is_gguf
from core.models.finding.contents import Contents, Parts
from core.models.finding.doubts import doubts_about
from core.models.finding.naming import ADAPTER_CONFIG, CONFIG
from core.models.finding.reading import reads_instead
from core.models.finding.results import Candidate, Missing
from core.models.finding.sets import Role, Sets, WeightSet
from core.models.finding.tokenizers import tokenizer_of, vocabularies_of
from core.models.hub import LATER, MODULES
from core.models.quoting import shown


def candidates_in(
    folder: Path, offered: Mapping[Parts, tuple[Sets, Sequence[WeightSet]]], contents: Mapping[Parts, Contents]
) -> list[Candidate]:
    """The candidates, with the roles of their files noted; offered: what each folder's weights are sorted into."""
    models: list[Candidate] = []
    adapters: list[Candidate] = []
    for parts, (sets, chosen) in offered.items():
        own = contents[parts]
        if _is_later_step(parts, contents):
            for one in chosen:
                _note(one, sets, "weights of a module of sentence-transformers")
            continue
        for one in chosen:
            if is_gguf(one):
                models.append(_gguf(folder, own, one, sets))
            elif not is_adapter(one):
                if (model := _model(folder, own, one, sets, contents)) is not None:
                    models.append(model)
            elif (adapter := _adapter(folder, own, one, sets, contents)) is not None:
                adapters.append(adapter)
    return models + [_based(adapter, models) for adapter in adapters]


def _gguf(folder: Path, own: Contents, one: WeightSet, sets: Sets) -> Candidate:
    _note(one, sets, "weights and tokenizer in one")
    return Candidate(name_of(folder, own.parts, one.stem, None), "gguf", own.folder, _paths(one))


def _model(
    folder: Path, own: Contents, one: WeightSet, sets: Sets, contents: Mapping[Parts, Contents]
) -> Candidate | None:
    """The model, or None where its config is that of a network for something else than text."""
    config = own.config.values if own.config else None
    if config is not None and (reads := reads_instead(config)):
        first, *others = (member.entry.name for member in one.members)
        sets.roles.update(dict.fromkeys(others, Role("another part of the same weights, not used")))
        sets.roles[first] = Role(f"weights of {reads}: bring a model that reads text", "error")
        return None
    _note(one, sets, "the weights" if one.is_standard else "weights")
    tokenizer, tensors = tokenizer_of(own, contents), one.tensors
    missing = [*lacking.of_config(config, refused=CONFIG in own.files and config is None)]
    if config is not None and not missing:
        missing += lacking.of_head(config, tensors)
    if tokenizer is None:
        missing.append(lacking.of_tokenizer())
    return Candidate(
        name_of(folder, own.parts, one.stem, config),
        "model",
        own.folder,
        _paths(one),
        own.config.entry.path if own.config else None,
        tokenizer,
        vocabularies_of(own, contents),
        tensors,
        one.members[0].path,
        missing=tuple(missing),
        doubts=doubts_about(tensors, tokenizer),
    )


def _adapter(
    folder: Path, own: Contents, one: WeightSet, sets: Sets, contents: Mapping[Parts, Contents]
) -> Candidate | None:
    """The adapter, or None where nothing says how it is added."""
    if own.adapter is None:
        why = "cannot be read: get it again" if ADAPTER_CONFIG in own.files else "is missing: put it beside them"
        role = Role(f"weights of an adapter, not used, because {ADAPTER_CONFIG} {why}", "error")
        sets.roles.update({member.entry.name: role for member in one.members})
        return None
    _note(one, sets, "weights of an adapter")
    training: Mapping[str, Any] = own.training.values if own.training else {}
    base = base_of(own.adapter.values, training)
    called = {"_name_or_path": base} if base else {}
    return Candidate(
        name_of(folder, own.parts, one.stem, called),
        "adapter",
        own.folder,
        _paths(one),
        own.config.entry.path if own.config else None,
        tokenizer_of(own, contents),
        vocabularies_of(own, contents),
        one.tensors,
        one.members[0].path,
        base,
    )


def _based(adapter: Candidate, models: Sequence[Candidate]) -> Candidate:
    """The adapter with its bases. Of a model in the same folder it is told apart, and leaves it the config."""
    bases, known = bases_of(adapter, models)
    missing: tuple[Missing, ...] = () if known else (lacking.of_base(adapter.base),)
    if any(model.root == adapter.root and model.kind == "model" for model in models):
        adapter = replace(adapter, name=shown(f"{adapter.name}-adapter"), config=None)
    return replace(adapter, bases=bases, missing=missing)


def _is_later_step(parts: Parts, contents: Mapping[Parts, Contents]) -> bool:
    """Whether a folder holds what sentence-transformers does after the network, such as 2_Dense."""
    above = contents.get(parts[:-1])
    return bool(parts) and LATER.fullmatch(parts[-1]) is not None and above is not None and MODULES in above.files


def _note(one: WeightSet, sets: Sets, words: str) -> None:
    total = len(one.members)
    for number, member in enumerate(one.members, 1):
        part = f"part {number:,} of {total:,} of {words}" if total > 1 else words
        sets.roles[member.entry.name] = Role(part)


def _paths(one: WeightSet) -> tuple[Path, ...]:
    return tuple(member.entry.path for member in one.members)
