"""Weights in 8 and 4 bits: those of linear layers, rounded after loading by torchao; everything else stays as it is.

The layers compute in the model's own number format, so attention is captured and proven as everywhere; what the
rounding costs shows in the maps. Checkpoints that come quantised are read by transformers, or refused with the reason.
"""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.errors import HeadlightError
from core.models.devices import SPREAD
from core.models.quoting import shown

INT8, INT4 = "int8", "int4"
QUANTISED = (INT8, INT4)
INSTALL = "pip install --no-deps torchao==0.18.0"
# Weights of a row that share a scale, in 4 bits.
GROUP, SMALLEST_GROUP = 32, 8
# Of the ways in which checkpoints are quantised, those that transformers reads here, each with the packages it needs.
_READERS: Mapping[str, tuple[str, ...]] = {
    "bitsandbytes": ("bitsandbytes",),
    "torchao": ("torchao",),
    "gptq": ("optimum", "gptqmodel"),
    "awq": ("gptqmodel",),
    "compressed-tensors": ("compressed_tensors",),
    "hqq": ("hqq",),
    "fp8": (),
    "mxfp4": (),
    "bitnet": (),
}


class Rounded(nn.Module):
    """A linear layer with rounded weights: W = scale · q, a scale for each row, or for each group within a row.

    numbers  int8 (out, in), or (out, in / 2) with two in a byte, the first in its low half
    scale    (out, groups)
    """

    numbers: Tensor
    scale: Tensor

    def __init__(self, numbers: Tensor, scale: Tensor, bias: Tensor | None, in_features: int) -> None:
        super().__init__()
        self.register_buffer("numbers", numbers)
        self.register_buffer("scale", scale)
        self.bias = None if bias is None else nn.Parameter(bias, requires_grad=False)
        self.in_features, self.out_features = in_features, numbers.shape[0]

    @property
    def weight(self) -> Tensor:
        """The whole numbers: what reads weights by itself sees that these are none."""
        return self.numbers

    def forward(self, states: Tensor) -> Tensor:
        """(…, in) -> (…, out)"""
        return F.linear(states, self.restored().to(states.dtype), self.bias)

    def restored(self) -> Tensor:
        """The weights (out, in) that the numbers stand for."""
        numbers = self.numbers
        if numbers.shape[1] < self.in_features:
            low = (numbers << 4) >> 4  # the shift back brings the sign along
            numbers = torch.stack([low, numbers >> 4], dim=-1).flatten(1)  # (out, in / 2) -> (out, in)
        grouped = numbers.unflatten(1, (self.scale.shape[1], -1)).to(self.scale.dtype)  # (out, groups, in / groups)
        return (grouped * self.scale[..., None]).flatten(1)  # -> (out, in)


def why_not(name: str, device: str) -> str | None:
    """Why weights cannot be rounded to `name` on a device, in one sentence; None where they can."""
    if name not in QUANTISED:
        return f"There is no rounding called {shown(name)}: choose one of {', '.join(QUANTISED)}."
    if find_spec("torchao") is None:
        return f"{name} needs torchao, which is not installed here: run {INSTALL}."
    if device == SPREAD:
        return f"{name} needs all weights in one place: choose one device."
    return None


@torch.no_grad()
def quantise(network: nn.Module, name: str) -> None:
    """Round the weights of a network's linear layers, in place; its output layer stays, as it may be the embeddings.

    Call it where the network will run, before `core.models.opening.probing.settled` and before threads share it.
    Raises HeadlightError where that cannot be done, or where there is nothing to round.
    """
    if sentence := why_not(name, "cpu"):
        raise HeadlightError(sentence)
    output = getattr(network, "get_output_embeddings", lambda: None)()
    layers = [
        (path, layer)
        for path, layer in network.named_modules()
        if type(layer) is nn.Linear and layer is not output and not layer.weight.is_meta
    ]
    rounded = {path: rounded_layer for path, layer in layers if (rounded_layer := _rounded(layer, name)) is not None}
    if not rounded:
        raise HeadlightError(f"The model has no linear layers that could be rounded to {name}: choose another format.")
    for path, layer in rounded.items():
        parent, _, leaf = path.rpartition(".")
        setattr(network.get_submodule(parent), leaf, layer)


def held_nbytes(network: nn.Module) -> int:
    """Memory of all weights, rounded ones and their scales included."""
    rounded = (module for module in network.modules() if isinstance(module, Rounded))
    return sum(w.nbytes for w in network.parameters()) + sum(m.numbers.nbytes + m.scale.nbytes for m in rounded)


def quantised_config(config: Any) -> str | None:
    """Why a checkpoint that comes quantised cannot be opened, in one sentence; None where it can or is none.

    config: what its config.json says, or transformers' object of that.
    """
    stated = config.get("quantization_config") if isinstance(config, Mapping) else None
    stated = getattr(config, "quantization_config", stated)
    if stated is None:
        return None
    if not isinstance(stated, Mapping):
        to_dict: Callable[[], Any] = getattr(stated, "to_dict", lambda: None)
        stated = to_dict()
    if not isinstance(stated, Mapping):
        return "Its config.json has a quantization_config that says nothing: get it again."
    method = _method_of(stated)
    if method not in _READERS:
        known = ", ".join(_READERS)
        return (
            f"Its weights are quantised by {shown(method) or 'a way that its config.json does not name'}, which is not "
            f"read here: get them without quantisation, or quantised by one of {known}."
        )
    missing = [package for package in _READERS[method] if find_spec(package) is None]
    if missing:
        names = " and ".join(package.replace("_", "-") for package in missing)
        return (
            f"Its weights are quantised by {method}, which needs {names}: install that beside Headlight, or get the "
            "weights without quantisation."
        )
    return None


def _method_of(stated: Mapping[str, Any]) -> str:
    """The name of the way; bitsandbytes says it by these two keys as well, its first files by them alone."""
    if stated.get("load_in_8bit") or stated.get("load_in_4bit"):  # transformers asks for these first
        return "bitsandbytes"
    method = stated.get("quant_method")
    return str(getattr(method, "value", method or ""))


def _rounded(layer: nn.Linear, name: str) -> Rounded | None:
    """The layer with rounded weights; None where its rows cannot be packed."""
    width = layer.in_features
    if name == INT4 and width % 2:
        return None
    numbers, scale = _by_torchao(layer.weight, name)
    if name == INT4:
        numbers = (numbers[:, ::2] & 15) | (numbers[:, 1::2] << 4)  # (out, in) -> (out, in / 2)
    given: Tensor | None = layer.bias
    bias = None if given is None else given.detach()
    return Rounded(numbers.contiguous(), scale.to(layer.weight.dtype), bias, width)


def _by_torchao(weight: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """Whole numbers int8 (out, in) of weights, symmetric about zero, and their scales (out, groups)."""
    # It looks for kernels of its own, which are not used here, and warns of those that this machine lacks.
    logging.getLogger("torchao").setLevel(logging.ERROR)
    torchao: Any = importlib.import_module("torchao.quantization")
    width = weight.shape[1]
    group = math.gcd(width, GROUP)
    granularity = torchao.PerGroup(group) if name == INT4 and group >= SMALLEST_GROUP else torchao.PerAxis(0)
    number: torch.dtype = getattr(torch, name)
    layer = nn.Linear(width, weight.shape[0], bias=False, device="meta")
    layer.weight = nn.Parameter(weight.detach().clone(), requires_grad=False)
    torchao.quantize_(layer, torchao.IntxWeightOnlyConfig(weight_dtype=number, granularity=granularity))
    found: Any = layer.weight
    return found.qdata, found.scale
