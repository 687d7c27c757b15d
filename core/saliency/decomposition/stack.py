"""A Transformer as decomposition reads it: linear maps, norms and activations in the order in which a layer uses them.

Shapes: T tokens, D width of the hidden states, H heads, I width inside the feed-forward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

Activation = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Linear:
    """x W + b, with weight (in, out) and bias (out,) or None."""

    weight: Tensor
    bias: Tensor | None

    def mapped(self, states: Tensor) -> Tensor:
        """x W without the bias: (..., in) -> (..., out), in the numbers and on the device of the states."""
        return states @ self.weight.to(states)

    def __call__(self, states: Tensor) -> Tensor:
        """x W + b: (..., in) -> (..., out)."""
        mapped = self.mapped(states)
        return mapped if self.bias is None else mapped + self.bias.to(states)


@dataclass(frozen=True, eq=False)
class Norm:
    """LayerNorm over the last dimension, with the biased variance as torch has it."""

    weight: Tensor | None
    bias: Tensor | None
    eps: float

    def scaled(self, part: Tensor, whole: Tensor) -> Tensor:
        """What the norm of `whole` makes of one of its summands, without the norm's bias.

        γ (p - mean(p)) / s with s of the whole vector: linear in p once s is known, so the parts of a sum add up
        (Kobayashi and others 2021, section 3.2). part and whole are broadcastable to each other: (..., D).
        """
        variance = whole.var(dim=-1, keepdim=True, correction=0)  # (..., D) -> (..., 1)
        centred = (part - part.mean(dim=-1, keepdim=True)) / (variance + self.eps).sqrt()
        return centred if self.weight is None else centred * self.weight.to(part)

    def __call__(self, states: Tensor) -> Tensor:
        """(..., D) -> (..., D)."""
        scaled = self.scaled(states, states)
        return scaled if self.bias is None else scaled + self.bias.to(states)


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention and feed-forward, each with its residual and its norm.

    value, output          projections of the attention: D to H · W and back
    expand, contract       of the feed-forward: D to I and back, with the activation between them
    pre                    whether a sublayer reads normalised states; else its sum with the residual is normalised
    """

    heads: int
    value: Linear
    output: Linear
    attention_norm: Norm
    expand: Linear
    activation: Activation
    contract: Linear
    feed_forward_norm: Norm
    pre: bool


@dataclass(frozen=True, eq=False)
class Head:
    """What turns the last states into logits.

    pooling     "first" or "last" token, or "mean" over all
    dense       layer before the classifier with its activation; None where there is none
    """

    pooling: str
    classifier: Linear
    dense: Linear | None = None
    activation: Activation | None = None


@dataclass(frozen=True, eq=False)
class Stack:
    """All layers of a model, the norm after the last where there is one, and its head if it has one."""

    layers: tuple[Layer, ...]
    last_norm: Norm | None
    head: Head | None
