"""ALiBi's slopes, by the model's own function: BLOOM, MPT, Falcon where its config says so."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from core.positions.alibi import slopes
from core.positions.facts.fact import Fact
from core.positions.facts.reading import heads_of, stack_of, trained_length, words
from core.positions.objects import Bias

FARTHEST_SHOWN = 512
_BLOOM, _MPT = "build_alibi_tensor", "build_mpt_alibi_tensor"


def read(network: nn.Module) -> list[Fact]:
    """One fact, or none."""
    config = getattr(network, "config", None)
    heads = heads_of(config)
    for path, module in network.named_modules():
        if heads and (hasattr(module, _BLOOM) or hasattr(module, _MPT)):
            name = _BLOOM if hasattr(module, _BLOOM) else _MPT
            found = _rises(getattr(module, name), name, heads)
            return [
                alibi_fact(
                    found, True, stack_of(path, network), f"{path}.{name}".removeprefix("."), *_told(config, found)
                )
            ]
    if heads and getattr(config, "alibi", False):
        build = getattr(sys.modules[type(network).__module__], _BLOOM, None)
        plain = slopes(heads) if build is None else _rises(build, _BLOOM, heads)
        return [_falcon(config, heads, plain)]
    return []


def _rises(build: Callable[..., Tensor], name: str, heads: int) -> Tensor:
    """What each head's bias rises by from one key to the next: float32 (H,)."""
    if name == _MPT:
        return build(heads, 2).reshape(heads, 2).float().diff(dim=1)[:, 0]
    return build(torch.ones(1, 2), heads, torch.float32).reshape(heads, 2).diff(dim=1)[:, 0]


def _told(config: Any, found: Tensor) -> tuple[tuple[str, ...], int | None]:
    notes = ["The slopes are computed whenever the model runs: nothing of it is learned."]
    says = getattr(getattr(config, "attn_config", None), "alibi_bias_max", None)
    if says is not None and says != 8:
        notes.append(f"The config says alibi_bias_max {words(says)}, but the library computes with 8, as shown.")
    return tuple(notes), trained_length(config)


def _falcon(config: Any, heads: int, plain: Tensor) -> Fact:
    width = int(config.hidden_size) // heads
    note = (
        f"Falcon divides the bias by √{width}, as it does the products of queries and keys, so each slope here is "
        "smaller by that than the paper's."
    )
    return alibi_fact(plain / math.sqrt(width), True, "self", "config.alibi", (note,), trained_length(config))


def alibi_fact(
    slope: Tensor,
    causal: bool,
    stack: str,
    source: str,
    notes: tuple[str, ...] = (),
    trained: int | None = None,
    after: float = 1.0,
) -> Fact:
    """The fact of slopes (H,); `after` is their share for keys after the query."""
    distance = torch.arange(-FARTHEST_SHOWN, FARTHEST_SHOWN + 1).float()  # (2R + 1,)
    distance = torch.where(distance > 0, after * distance, -distance)
    window = math.log(100) / slope
    return Fact(
        scheme="alibi",
        stack=stack,
        layers=None,
        thing=Bias(-slope[:, None] * distance, causal, slopes=slope),  # (H, 1) * (2R + 1,) -> (H, 2R + 1)
        source=source,
        lines=(
            ("heads", words(len(slope))),
            ("slopes", f"{words(float(slope.max()))} to {words(float(slope.min()))}"),
            ("window", f"{words(float(window.min()))} to {words(float(window.max()))} tokens, where a weight is 1/100"),
        ),
        notes=notes,
        trained=trained,
    )
