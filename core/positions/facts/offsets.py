"""Tables with a vector for each offset, which queries or keys are multiplied by: DeBERTa's and Shaw's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from core.positions.deberta import log_rows, rows
from core.positions.facts.biases import starts_of
from core.positions.facts.fact import Fact
from core.positions.facts.reading import (
    ABSENT,
    layer_of,
    modules_of_text,
    numbers,
    stack_of,
    trained_length,
    whole,
    words,
)
from core.positions.objects import Buckets, OffsetVectors

FARTHEST_SHOWN = 512
_DEBERTA, _SHAW = "rel_embeddings", "distance_embedding"
_TERMS = {"c2p": "content to position", "p2c": "position to content"}


def read(network: nn.Module) -> list[Fact]:
    """A fact for each table."""
    found = list(modules_of_text(network))
    deberta = [_deberta(network, path, module) for path, module in found if _has(module, _DEBERTA)]
    return deberta + [_shaw(network, path, module) for path, module in found if _has(module, _SHAW)]


def _has(module: nn.Module, name: str) -> bool:
    return isinstance(getattr(module, name, None), nn.Embedding)


def vectors_of(values: Tensor, found: Tensor, causal: bool = False) -> OffsetVectors:
    """Vectors (rows, W), of which an offset reads row `found` (2R + 1,)."""
    return OffsetVectors(values, Buckets(found, starts_of(found), len(values), causal))


def _deberta(network: nn.Module, path: str, encoder: nn.Module) -> Fact:
    config = getattr(network, "config", None)
    table: nn.Embedding = getattr(encoder, _DEBERTA)
    values, normed = _normed(encoder, table)
    buckets = whole(getattr(config, "position_buckets", None))
    farthest = whole(getattr(encoder, "max_relative_positions", None)) or table.num_embeddings // 2
    reach = min(2 * farthest, FARTHEST_SHOWN)
    difference = -torch.arange(-reach, reach + 1)  # (2R + 1,), query minus key
    found = log_rows(difference, buckets, farthest) if buckets else rows(difference, farthest)
    kinds = [_TERMS[kind] for kind in getattr(config, "pos_att_type", None) or () if kind in _TERMS]
    lines = [("rows", words(table.num_embeddings)), ("width", words(table.embedding_dim))]
    lines.append(("terms", ", ".join(["content to content", *kinds])))
    lines.append(("offsets told apart", f"up to distance {starts_of(found)[-1]}"))
    return Fact(
        scheme="deberta",
        stack=stack_of(path, network),
        layers=None,
        thing=None if values is None else vectors_of(values, found),
        source=f"{path}.{_DEBERTA}.weight".removeprefix("."),
        lines=tuple(lines),
        notes=tuple(_deberta_notes(config, buckets, normed, values)),
        trained=trained_length(config),
    )


def _normed(encoder: nn.Module, table: nn.Embedding) -> tuple[Tensor | None, bool]:
    """The vectors as the layers see them: the second and third version normalise them first."""
    values = numbers(table.weight)
    norm = getattr(encoder, "LayerNorm", None)
    if values is None or not isinstance(norm, nn.LayerNorm):
        return values, False
    weight, bias = numbers(norm.weight), numbers(norm.bias)
    return nn.functional.layer_norm(values, norm.normalized_shape, weight, bias, norm.eps), True


def _deberta_notes(config: Any, buckets: int | None, normed: bool, values: Tensor | None) -> Iterator[str]:
    yield "All layers share the table; each makes its own queries and keys of it."
    if normed:
        yield "The vectors are shown after the layer norm that stands between them and the layers."
    if buckets:
        yield "Offsets from half of the buckets on share rows, more and more of them."
    if getattr(config, "share_att_key", False):
        yield "Positions go through the same matrices as contents do."
    if values is None:
        yield ABSENT


def _shaw(network: nn.Module, path: str, attention: nn.Module) -> Fact:
    table: nn.Embedding = getattr(attention, _SHAW)
    before = whole(getattr(attention, "left_max_position_embeddings", None)) or table.num_embeddings // 2
    after = table.num_embeddings - 1 - before
    values, layer = numbers(table.weight), layer_of(path)
    reach = min(2 * max(before, after), FARTHEST_SHOWN)
    found = torch.arange(-reach, reach + 1).clamp(-before, after) + before  # (2R + 1,)
    return Fact(
        scheme="shaw",
        stack=stack_of(path, network),
        layers=None if layer is None else (layer,),
        thing=None if values is None else vectors_of(values, found),
        source=f"{path}.{_SHAW}.weight".removeprefix("."),
        lines=(
            ("rows", words(table.num_embeddings)),
            ("width", words(table.embedding_dim)),
            ("clipped at", f"{before} before, {after} after"),
        ),
        notes=("Each layer has its own vectors, for keys only.",) if values is not None else (ABSENT,),
        trained=trained_length(getattr(network, "config", None)),
    )
