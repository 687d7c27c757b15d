"""Each state as a sum of parts, one an input token, carried through all layers to the logits (DecompX).

Source: Modarressi, Fayyaz and others 2023, "DecompX: Explaining Transformers Decisions by Propagating Token
Decomposition": linear maps move each part, a LayerNorm divides it by the standard deviation of the whole, an activation
multiplies it by act(z) / z of the whole, and a bias b is shared among the parts by |b · part| ("absdot").
Shapes: T tokens, R rows (queries), K parts, D width of the hidden states, I width inside the feed-forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.saliency.decomposition.stack import Activation, Head, Layer, Linear, Norm, Stack

# Inside the feed-forward as many rows at a time as 2^24 numbers are of.
MOST_NUMBERS = 1 << 24
# Below this an activation's input is taken as this, whose slope is that at zero.
NEAR_ZERO = 1e-6


@dataclass(frozen=True, eq=False)
class LogitParts:
    """Parts of the logits, (K, labels) in float64, and how well the parts of each layer sum to the model's own states.

    error: the largest difference over all layers, as a share of the layer's largest state.
    """

    parts: Tensor
    error: float


@torch.no_grad()
def logit_parts(
    stack: Stack,
    states: Sequence[Tensor],
    weights: Callable[[int], Tensor],
    tick: Callable[[int], None] = lambda done: None,
) -> LogitParts:
    """Decompose the logits over the tokens.

    states   (T, D) in float32: what enters the first layer, and what the model itself has after each; after the last,
             what its head reads
    weights  (H, T, T) of a layer
    tick     told the number of layers that are done
    """
    if stack.head is None:
        raise ValueError("there is no head to decompose")
    first = states[0]
    tokens = len(first)
    # Every state is wholly its own at first: (T, D) -> (T, K, D).
    parts = torch.eye(tokens, device=first.device, dtype=first.dtype)[:, :, None] * first[:, None]
    error, everything = 0.0, range(tokens)
    for index, layer in enumerate(stack.layers):
        last = index == len(stack.layers) - 1
        rows = rows_read(stack.head, tokens) if last else everything
        parts = layer_parts(layer, parts, weights(index).to(first), rows)
        if last and stack.last_norm is not None:
            parts = _normed(stack.last_norm, parts, _own(rows, tokens, parts))
        error = max(error, _difference(_whole(parts), states[index + 1][list(rows)]))
        tick(index + 1)
    return LogitParts(head_parts(stack.head, parts), error)


def rows_read(head: Head, tokens: int) -> range:
    """Rows of the last layer that a head reads."""
    return {"first": range(1), "last": range(tokens - 1, tokens), "mean": range(tokens)}[head.pooling]


def layer_parts(layer: Layer, parts: Tensor, weights: Tensor, rows: Sequence[int]) -> Tensor:
    """Parts of a layer's output at some rows: (T, K, D), (H, T, T) -> (R, K, D)."""
    tokens = len(parts)
    read = _normed(layer.attention_norm, parts, _own(range(tokens), tokens, parts)) if layer.pre else parts
    values = layer.value.mapped(read).unflatten(-1, (layer.heads, -1))  # (T, K, D) -> (T, K, H, W)
    # (H, R, T), (T, K, H, W) -> (R, K, H, W); without the values' bias, which is the same for all parts
    mixed = torch.einsum("hrt,tkhw->rkhw", weights[:, list(rows)], values)
    bias = _attention_bias(layer, weights[:, list(rows)])
    del read, values
    step = max(1, MOST_NUMBERS // (parts.shape[1] * layer.expand.weight.shape[1]))
    done = []
    for start in range(0, len(rows), step):
        few = slice(start, start + step)
        own = _own(rows[few], tokens, parts)
        update = _shared(layer.output.mapped(mixed[few].flatten(-2)), bias[few], own)  # (r, K, H · W) -> (r, K, D)
        done.append(_after_attention(layer, parts[list(rows[few])] + update, own))
    return torch.cat(done)


def _attention_bias(layer: Layer, weights: Tensor) -> Tensor:
    """What an attention's biases add to each row: (H, R, T) -> (R, D). A row with a sink takes less of the values'."""
    taken = weights.sum(dim=-1).transpose(0, 1)  # (H, R, T) -> (R, H)
    if layer.value.bias is None:
        values = torch.zeros(len(taken), layer.value.weight.shape[1]).to(taken)
    else:
        by_head = layer.value.bias.to(weights).unflatten(0, (layer.heads, -1))  # (H · W,) -> (H, W)
        values = (taken[..., None] * by_head).flatten(-2)  # (R, H, 1) * (H, W) -> (R, H · W)
    return layer.output(values)  # (R, H · W) -> (R, D)


def _after_attention(layer: Layer, hidden: Tensor, own: Tensor) -> Tensor:
    """Parts of the layer's output, of the parts of the sum of its residual and its attention: (R, K, D)."""
    if not layer.pre:
        hidden = _normed(layer.attention_norm, hidden, own)
    read = _normed(layer.feed_forward_norm, hidden, own) if layer.pre else hidden
    inner = _mapped(layer.expand, read, own)  # (R, K, D) -> (R, K, I)
    inner = _activated(layer.activation, inner)
    total = hidden + _mapped(layer.contract, inner, own)  # (R, K, I) -> (R, K, D)
    return total if layer.pre else _normed(layer.feed_forward_norm, total, own)


def head_parts(head: Head, parts: Tensor) -> Tensor:
    """Parts of the logits, of the parts of the states that the head reads: (R, K, D) -> (K, labels) in float64."""
    pooled = parts.double().mean(dim=0, keepdim=True)  # (R, K, D) -> (1, K, D)
    equal = torch.full(pooled.shape[:2], 1 / pooled.shape[1]).to(pooled)  # (1, K)
    if head.dense is not None and head.activation is not None:
        pooled = _activated(head.activation, _mapped(head.dense, pooled, equal))
    return _mapped(head.classifier, pooled, equal)[0]  # (1, K, D) -> (K, labels)


def _mapped(linear: Linear, parts: Tensor, own: Tensor) -> Tensor:
    """(R, K, in) -> (R, K, out), the bias shared."""
    mapped = linear.mapped(parts)
    return mapped if linear.bias is None else _shared(mapped, linear.bias.to(parts), own)


def _normed(norm: Norm, parts: Tensor, own: Tensor) -> Tensor:
    """(R, K, D) -> (R, K, D), the bias shared."""
    scaled = norm.scaled(parts, _whole(parts)[:, None])
    return scaled if norm.bias is None else _shared(scaled, norm.bias.to(parts), own)


def _activated(activation: Activation, parts: Tensor) -> Tensor:
    """Each part times act(z) / z of the whole, the slope of the line from zero: (R, K, I) -> (R, K, I)."""
    whole = _whole(parts)
    safe = torch.where(whole.abs() < NEAR_ZERO, torch.full_like(whole, NEAR_ZERO).copysign(whole), whole)
    return parts * (activation(safe) / safe)[:, None]


def _shared(parts: Tensor, bias: Tensor, own: Tensor) -> Tensor:
    """Add a bias to parts (R, K, D) by |bias · part|, or by `own` (R, K) in rows where it touches no part.

    bias: (D,), or (R, D) where each row has one of its own.
    """
    touched = (parts @ bias[..., None]).squeeze(-1).abs()  # (R, K, D) @ (R, D, 1) or (D, 1) -> (R, K)
    total = touched.sum(dim=-1, keepdim=True)  # (R, 1)
    shares = torch.where(total > 0, touched / total.where(total > 0, 1.0), own)
    return parts + shares[..., None] * bias.unsqueeze(-2)  # (R, K, 1) * (R, 1, D) or (1, D) -> (R, K, D)


def _whole(parts: Tensor) -> Tensor:
    """The sum of the parts, in float64 and back: (R, K, D) -> (R, D)."""
    return parts.sum(dim=1, dtype=torch.float64).to(parts.dtype)


def _own(rows: Sequence[int], tokens: int, like: Tensor) -> Tensor:
    """1 at each row's own part: (R, K)."""
    return torch.eye(tokens, device=like.device, dtype=like.dtype)[list(rows)]


def _difference(found: Tensor, wanted: Tensor) -> float:
    """The largest difference as a share of the largest wanted number."""
    return float((found - wanted).abs().max() / wanted.abs().max().clamp(min=torch.finfo(wanted.dtype).tiny))
