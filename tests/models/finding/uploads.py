"""Folders as people upload them: tiny networks, saved in the ways that programs save them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from core.models.finding import Candidate, Found, FoundFile, found
from tests.sentences import is_one_sentence
from tests.tiny import tiny_network

BERT = {"model_type": "bert", "architectures": ["BertModel"]}


@cache
def state_dict() -> dict[str, Tensor]:
    """Of a tiny BERT; only read."""
    return {name: tensor.contiguous() for name, tensor in tiny_network("bert").state_dict().items()}


def halves() -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    names = sorted(state_dict())
    first, second = names[: len(names) // 2], names[len(names) // 2 :]
    return {name: state_dict()[name] for name in first}, {name: state_dict()[name] for name in second}


def weights(path: Path, tensors: Mapping[str, Tensor] | None = None) -> Path:
    """A safetensors file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(dict(state_dict() if tensors is None else tensors), path)
    return path


def pickled(path: Path, held: Any = None, *, zipped: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(state_dict() if held is None else held, path, _use_new_zipfile_serialization=zipped)
    return path


def told(path: Path, said: Any) -> Path:
    """A JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said))
    return path


def model(folder: Path, **changes: Any) -> Path:
    """config.json, model.safetensors, tokenizer.json."""
    weights(folder / "model.safetensors")
    told(folder / "config.json", BERT | changes)
    told(folder / "tokenizer.json", {"model": {}})
    return folder


def looked(place: Path) -> Found:
    """What is found, every sentence of it held to what sentences are."""
    seen = found(place)
    sentences = [file.sentence for file in seen.files]
    sentences += [missing.sentence for candidate in seen.candidates for missing in candidate.missing]
    sentences += [seen.sentence] if seen.sentence else []
    assert all(map(is_one_sentence, sentences)), sentences
    assert bool(seen.sentence) != bool(seen.candidates)
    assert all((file.kind == "refused") <= (file.severity == "error") for file in seen.files)
    return seen


def only(place: Path) -> Candidate:
    """The one candidate."""
    (candidate,) = looked(place).candidates
    return candidate


def file(seen: Found, path: str) -> FoundFile:
    return next(each for each in seen.files if each.path == path)


def lacks(candidate: Candidate) -> tuple[str, ...]:
    return tuple(missing.what for missing in candidate.missing)
