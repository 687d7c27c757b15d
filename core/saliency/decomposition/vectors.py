"""What an attention block adds up: one vector T_i(x_j) for each query i and token j, residual and LayerNorm included.

Sources: Kobayashi and others 2020, "Attention is Not Only a Weight"; 2021, "Incorporating Residual and Normalization
Layers into Analysis of Masked Language Models"; Ferrando and others 2022, "Measuring the Mixing of Contextual
Information in the Transformer".
Shapes: T tokens, R query rows, D width of the hidden states, H heads, W width of a head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.saliency.decomposition.stack import Layer

# Vectors of 2^24 numbers are in memory at a time, whatever the text's length.
MOST_NUMBERS = 1 << 24


def block_vectors(layer: Layer, hidden: Tensor, weights: Tensor, rows: Sequence[int]) -> tuple[Tensor, Tensor]:
    """T_i(x_j) of the asked rows, (R, T, D), and what no token brings, (R, D): the norm's bias and the output's.

    hidden   (T, D): what entered the layer
    weights  (H, R, T): attention of these rows
    The sum of the vectors over the tokens and the constant is the block's output; a Pre-LN block's is not normalised.
    """
    places = torch.as_tensor(list(rows), device=hidden.device)
    read = layer.attention_norm(hidden) if layer.pre else hidden
    values = layer.value(read).unflatten(-1, (layer.heads, -1)).transpose(0, 1)  # (T, D) -> (H, T, W)
    output = layer.output.weight.to(hidden).unflatten(0, (layer.heads, -1))  # (H · W, D) -> (H, W, D)
    moved = values @ output  # (H, T, W) @ (H, W, D) -> (H, T, D)
    vectors = torch.einsum("hrt,htd->rtd", weights.to(hidden), moved)  # (H, R, T), (H, T, D) -> (R, T, D)
    vectors[torch.arange(len(places), device=hidden.device), places] += hidden[places]
    bias = torch.zeros_like(hidden[0]) if layer.output.bias is None else layer.output.bias.to(hidden)  # (D,)
    if layer.pre:
        return vectors, bias.expand(len(places), -1)
    whole = vectors.sum(dim=1) + bias  # (R, T, D) -> (R, D)
    constant = layer.attention_norm.scaled(bias, whole)  # (R, D)
    if layer.attention_norm.bias is not None:
        constant = constant + layer.attention_norm.bias.to(hidden)
    return layer.attention_norm.scaled(vectors, whole[:, None]), constant


def vector_norms(vectors: Tensor, constant: Tensor, rows: Tensor) -> Tensor:
    """‖T_i(x_j)‖₂: (R, T, D) -> (R, T)."""
    return vectors.norm(dim=-1)


def contributions(vectors: Tensor, constant: Tensor, rows: Tensor) -> Tensor:
    """max(0, ‖y_i‖₁ - ‖y_i - T_i(x_j)‖₁), each row divided by its sum: (R, T, D) -> (R, T) (Ferrando 2022, section 3).

    A row in which nothing comes near the output is the query token's own.
    """
    output = vectors.sum(dim=1) + constant  # (R, D)
    nearer = output.abs()[:, None] - (output[:, None] - vectors).abs()  # (R, T, D), exactly 0 where a vector is
    near = nearer.sum(dim=-1).clamp(min=0).double()  # (R, T)
    total = near.sum(dim=-1, keepdim=True)  # (R, 1)
    own = torch.nn.functional.one_hot(rows, near.shape[-1]).to(near)  # (R, T)
    return torch.where(total > 0, near / total.where(total > 0, 1.0), own)


def mixing(vectors: Tensor, constant: Tensor, rows: Tensor) -> Tensor:
    """What other tokens bring, as a share of it and the token's own: (R, T, D) -> (R,) (Kobayashi 2021, section 3.3).

    ‖Σ_{j≠i} T_i(x_j)‖ / (‖Σ_{j≠i} T_i(x_j)‖ + ‖T_i(x_i)‖)
    """
    own = vectors[torch.arange(len(rows), device=rows.device), rows]  # (R, T, D) -> (R, D)
    others = (vectors.sum(dim=1) - own).norm(dim=-1)  # (R, D) -> (R,)
    both = others + own.norm(dim=-1)
    return others / both.where(both > 0, 1.0)


@torch.no_grad()
def by_rows(
    layer: Layer,
    hidden: Tensor,
    weights: Tensor,
    rows: Sequence[int],
    measure: Callable[[Tensor, Tensor, Tensor], Tensor],
) -> Tensor:
    """A measure of the vectors of some rows, so many rows at a time that memory stays bounded.

    weights (H, R, T); measure takes vectors (r, T, D), constant (r, D) and places of the rows (r,).
    """
    step = max(1, MOST_NUMBERS // hidden.numel())
    found = []
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        vectors, constant = block_vectors(layer, hidden, weights[:, start : start + step], part)
        found.append(measure(vectors, constant, torch.as_tensor(list(part), device=hidden.device)))
    return torch.cat(found)
