"""Pooling: how sentence-transformers makes one vector of a text's last states, read from a folder and computed.

A folder's modules.json lists modules: the network, its pooling, and what follows. Their classes are known by name;
nothing that a file names is imported. Of a folder without one the states' mean is taken.
Shapes: N texts at once, T tokens, E width of a state, D width of what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.errors import HeadlightError
from core.models.checking_configs.json_files import json_in, object_in, object_or_nothing
from core.models.hub import LATER, MODULES, READING, SETTINGS
from core.models.opening.shards import tensors_of
from core.models.opening.weights import weights_of
from core.models.quoting import shown
from core.models.wording import continued, worded

CONFIG = "config.json"
# Where old versions put the network itself.
NETWORK = "0_Transformer"
MOST_BYTES, MOST_MODULES, LONGEST_PROMPT = 1 << 20, 20, 1_000
_LARGEST = 1 << 26  # numbers in a dense layer
_OWN, _FIRST = "sentence_transformers.", ["Transformer", "Pooling"]
_IDLE = "Dropout"  # outside of training
_ACTIVATION = re.compile(r"torch\.nn\.(?:modules\.(?:activation|linear)\.)?(\w+)", re.ASCII)
# Of torch.nn, those that take each number by itself.
ACTIVATIONS = frozenset((
    "CELU", "ELU", "GELU", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU", "LogSigmoid", "Mish",
    "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softsign", "Tanh", "Tanhshrink",
))  # fmt: skip


def _first(states: Tensor, mask: Tensor) -> Tensor:
    """(N, T, E) -> (N, E), like all of them."""
    return states[torch.arange(len(states), device=states.device), mask.long().argmax(dim=-1)]


def _last(states: Tensor, mask: Tensor) -> Tensor:
    return _first(states.flip(1), mask.flip(-1))


def _largest(states: Tensor, mask: Tensor) -> Tensor:
    return states.masked_fill(mask[..., None] == 0, -torch.inf).amax(dim=1)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    return _weighted(states, mask) / mask.sum(dim=-1, keepdim=True).clamp_min(1)


def _mean_by_root(states: Tensor, mask: Tensor) -> Tensor:
    return _weighted(states, mask) / mask.sum(dim=-1, keepdim=True).clamp_min(1).sqrt()


def _mean_by_place(states: Tensor, mask: Tensor) -> Tensor:
    """Each token weighs as much as its place counts, from 1 at the first that is there."""
    places = torch.arange(1, mask.shape[-1] + 1, device=mask.device) - mask.long().argmax(dim=-1, keepdim=True)
    weights = mask * places  # (N, T)
    return _weighted(states, weights) / weights.sum(dim=-1, keepdim=True).clamp_min(1)


def _weighted(states: Tensor, weights: Tensor) -> Tensor:
    return (states * weights[..., None].to(states)).sum(dim=1)  # (N, T, E) * (N, T, 1) -> (N, E)


@dataclass(frozen=True)
class Mode:
    """One way of pooling. words: before “states”; flag: which older folders set for it."""

    words: str
    flag: str
    pool: Callable[[Tensor, Tensor], Tensor]


# In the order in which the results of several are joined where flags name them.
MODES: Mapping[str, Mode] = {
    "cls": Mode("[CLS]", "pooling_mode_cls_token", _first),
    "max": Mode("largest", "pooling_mode_max_tokens", _largest),
    "mean": Mode("mean", "pooling_mode_mean_tokens", _mean),
    "mean_sqrt_len_tokens": Mode("√length-scaled mean", "pooling_mode_mean_sqrt_len_tokens", _mean_by_root),
    "weightedmean": Mode("place-weighted mean", "pooling_mode_weightedmean_tokens", _mean_by_place),
    "lasttoken": Mode("last token's", "pooling_mode_lasttoken", _last),
}


@dataclass(frozen=True, eq=False)
class PooledStep:
    """What is done to a pooled vector: (N, width) -> (N, D). width: 0 where it takes and keeps any."""

    words: str
    apply: Callable[[Tensor], Tensor]
    width: int = 0
    out: int = 0


@dataclass(frozen=True, eq=False)
class Pooling:
    """How the last states of a text become the vector by which it is compared.

    modes        of `MODES`; what several give is joined
    steps        what is done to that, in order
    most_tokens  that are read of a text; None for as many as the network reads
    lower_case   whether texts are read in small letters
    prompt       what the library puts before every text
    compares     what the library compares two vectors by
    refused      one sentence why the vector cannot be computed; "" where it can
    """

    modes: tuple[str, ...] = ("mean",)
    steps: tuple[PooledStep, ...] = ()
    most_tokens: int | None = None
    lower_case: bool = False
    prompt: str = ""
    compares: str = "cosine"
    refused: str = ""

    @property
    def words(self) -> str:
        """What comes out, as a caption says it: “[CLS] states, through a dense layer (Tanh), normalised”."""
        states = f"{' + '.join(MODES[mode].words for mode in self.modes)} states"
        return ", ".join([states, *(step.words for step in self.steps)])

    def __call__(self, states: Tensor, mask: Tensor) -> Tensor:
        """(N, T, E), (N, T) with 1 for what is there -> (N, D), in float32 and differentiable.

        Raises HeadlightError where its layers were made for states of another width.
        """
        pooled = torch.cat([MODES[mode].pool(states.float(), mask) for mode in self.modes], dim=-1)
        for step in self.steps:
            if step.width not in (0, pooled.shape[-1]):
                raise HeadlightError(
                    f"What the states are pooled to has {pooled.shape[-1]:,} numbers, and the module after it takes "
                    f"{step.width:,}: get all of the model's folder again."
                )
            pooled = step.apply(pooled)
        return pooled


def home_of(folder: Path) -> Path | None:
    """The folder whose modules.json lists the network of another; None where none does."""
    above = (folder.parent,) if folder.name == NETWORK else ()
    return next((place for place in (folder, *above) if (place / MODULES).is_file()), None)


def modules_of(home: Path) -> tuple[tuple[str, str], ...]:
    """The class and the folder of each module, the network's folder being "" or `NETWORK`.

    Raises HeadlightError, one sentence, for a modules.json that lists no such things.
    """
    listed = json_in(home / MODULES, MOST_BYTES)
    modules = listed if isinstance(listed, list) and len(listed) <= MOST_MODULES else []
    found = [(one.get("type"), one.get("path")) if isinstance(one, dict) else (None, None) for one in modules]
    known = tuple((kind, path) for kind, path in found if isinstance(kind, str) and isinstance(path, str))
    fits = [path in ("", NETWORK) if not place else LATER.fullmatch(path) for place, (_, path) in enumerate(known)]
    if not known or len(known) != len(modules) or not all(fits):
        raise HeadlightError(f"its {MODULES} does not list modules with a type and a folder each; get it again.")
    return known


def pools(folder: Path) -> bool:
    """Whether a folder is one of a network without a head and a pooling after it."""
    try:
        home = home_of(folder)
        kinds = [] if home is None else [kind.rpartition(".")[2] for kind, _ in modules_of(home)]
    except HeadlightError:
        return False  # why, `pooling_of` says
    return kinds[:2] == _FIRST


def pooling_of(name: str, folder: Path) -> Pooling:
    """The pooling of a folder; one that is refused where its files are damaged or name what is not known."""
    home = home_of(folder)
    if home is None:
        return Pooling()
    try:
        return _read(home, folder)
    except HeadlightError as error:
        return Pooling(refused=f"{name}: {continued(str(error))}")


def _read(home: Path, folder: Path) -> Pooling:
    modules = modules_of(home)
    names = [_known(kind) for kind, _ in modules]
    if names[:2] != _FIRST or set(names[2:]) & set(_FIRST):
        raise HeadlightError(
            f"its {MODULES} has {', '.join(names)}, and not a Transformer, its Pooling and what follows; choose "
            "another model."
        )
    files = (folder / name for name in READING)
    reading = next((object_in(file, MOST_BYTES) for file in files if file.is_file()), {})
    _require_last_states(reading)
    longest = reading.get("max_seq_length")
    settings = object_or_nothing(home / SETTINGS, MOST_BYTES)
    later = zip(names, modules, strict=True)
    return Pooling(
        _modes(home / modules[1][1]),
        tuple(_STEPS[name](home / path) for name, (_, path) in later if name in _STEPS),
        longest if type(longest) is int and longest > 0 else None,
        reading.get("do_lower_case") is True,
        _prompt(settings),
        shown(str(settings.get("similarity_fn_name") or "cosine")),
    )


def _known(kind: str) -> str:
    """The name of a module's class. Raises HeadlightError for one that is not known."""
    name = kind.rpartition(".")[2]
    if not kind.startswith(_OWN) or name not in (*_FIRST, _IDLE, *_STEPS):
        raise HeadlightError(
            f"its {MODULES} names the module {shown(kind)}, which Headlight does not compute; choose a model of "
            f"{', '.join((*_FIRST, *_STEPS))}."
        )
    return name


def _require_last_states(reading: Mapping[str, Any]) -> None:
    text = reading.get("modality_config", {})
    text = text.get("text", {}) if isinstance(text, dict) else {}
    given = text.get("method_output_name", "last_hidden_state") if isinstance(text, dict) else None
    if given != "last_hidden_state":
        raise HeadlightError(
            f"its Transformer gives {shown(str(given))} to what follows, and Headlight pools last states alone; choose "
            "another model."
        )


def _modes(folder: Path) -> tuple[str, ...]:
    said = object_in(folder / CONFIG, MOST_BYTES)
    named = said.get("pooling_mode")
    if named is None:
        named = [mode for mode, one in MODES.items() if said.get(one.flag) is True] or ["mean"]
    modes = named if isinstance(named, list) else [named]
    flags = {one.flag for one in MODES.values()}
    odd = [key for key, value in said.items() if key.startswith("pooling_mode_") and value and key not in flags]
    odd += [str(mode) for mode in modes if not isinstance(mode, str) or mode not in MODES]
    if odd or not 0 < len(modes) <= len(MODES):
        raise HeadlightError(
            f"its module Pooling asks for {shown(', '.join(odd) or str(modes))}, and Headlight knows "
            f"{', '.join(MODES)}; choose another model."
        )
    return tuple(modes)


def _prompt(settings: Mapping[str, Any]) -> str:
    prompts, default = settings.get("prompts"), settings.get("default_prompt_name")
    found = prompts.get(default) if isinstance(prompts, dict) and isinstance(default, str) else None
    return found[:LONGEST_PROMPT] if isinstance(found, str) else ""


def _dense(folder: Path) -> PooledStep:
    said = object_in(folder / CONFIG, MOST_BYTES)
    _require_pooled(said, "Dense")
    path = said.get("activation_function", "torch.nn.Tanh")
    match = _ACTIVATION.fullmatch(path) if isinstance(path, str) else None
    if match is None or match[1] not in ACTIVATIONS:
        raise HeadlightError(
            f"its module Dense has the activation {shown(str(path))}, and Headlight knows those of torch.nn that take "
            "each number by itself; choose another model."
        )
    activation: nn.Module = getattr(nn, match[1])()
    width, out, residual = _size(said, "in_features"), _size(said, "out_features"), said.get("use_residual") is True
    shapes = {"linear.weight": (out, width)} | ({"linear.bias": (out,)} if said.get("bias", True) else {})
    shapes |= {"residual.weight": (out, width)} if residual and width != out else {}
    held = _weights(folder, "Dense", shapes)

    def apply(pooled: Tensor) -> Tensor:
        """(N, width) -> (N, out)."""
        bias = held.get("linear.bias")
        made: Tensor = activation(
            functional.linear(pooled, held["linear.weight"].to(pooled), None if bias is None else bias.to(pooled))
        )
        if not residual:
            return made
        projected = held.get("residual.weight")
        return made + (pooled if projected is None else functional.linear(pooled, projected.to(pooled)))

    return PooledStep(f"through a dense layer ({match[1]})", apply, width, out)


def _layer_norm(folder: Path) -> PooledStep:
    width = _size(object_in(folder / CONFIG, MOST_BYTES), "dimension")
    held = _weights(folder, "LayerNorm", {"norm.weight": (width,), "norm.bias": (width,)})
    return PooledStep(
        "layer-normalised",
        lambda pooled: functional.layer_norm(
            pooled, (width,), held["norm.weight"].to(pooled), held["norm.bias"].to(pooled)
        ),
        width,
        width,
    )


def _normalised(folder: Path) -> PooledStep:
    if (folder / CONFIG).is_file():
        _require_pooled(object_in(folder / CONFIG, MOST_BYTES), "Normalize")
    return PooledStep("normalised", lambda pooled: functional.normalize(pooled, dim=-1))


_STEPS: Mapping[str, Callable[[Path], PooledStep]] = {
    "Dense": _dense,
    "LayerNorm": _layer_norm,
    "Normalize": _normalised,
}


def _require_pooled(said: Mapping[str, Any], module: str) -> None:
    for key in ("module_input_name", "module_output_name"):
        if (named := said.get(key)) not in (None, "sentence_embedding"):
            raise HeadlightError(
                f"its module {module} works on {shown(str(named))} and not on the pooled vector; choose another model."
            )


def _size(said: Mapping[str, Any], key: str) -> int:
    value = said.get(key)
    if type(value) is not int or not 0 < value <= _LARGEST:
        raise HeadlightError(f"the {CONFIG} of one of its modules says no {key}; get it again.")
    return value


def _weights(folder: Path, module: str, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """The tensors of a module, which have to be these; nothing is read before its header was looked at."""
    files = weights_of(f"its module {module}", folder)
    found = {key: stored.shape for key, stored in files.tensors.items()}
    numbers = sum(stored.count for stored in files.tensors.values())
    if found != dict(shapes) or numbers > _LARGEST or not all(stored.is_real for stored in files.tensors.values()):
        raise HeadlightError(
            f"the weights of its module {module} are not those that its {CONFIG} describes; get the folder again."
        )
    with worded(f"the weights of its module {module} are damaged; get the folder again."):
        return tensors_of(files.paths)
