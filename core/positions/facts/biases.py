"""Tables with a number for each head and bucket of distances, added to the scores: T5 and its relatives, MPNet."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import Tensor, nn

from core.positions.facts.fact import Fact
from core.positions.facts.reading import ABSENT, layer_of, modules_of_text, numbers, stack_of, whole, words
from core.positions.objects import Bias
from core.positions.relative import FARTHEST, buckets

_NAME = "relative_attention_bias"
FARTHEST_SHOWN = 512


def read(network: nn.Module) -> list[Fact]:
    """A fact for each table: one a stack where its first layer owns the only one, or one a layer."""
    owners = [
        (path, module)
        for path, module in modules_of_text(network)
        if isinstance(getattr(module, _NAME, None), nn.Embedding)
    ]
    tables = Counter(stack_of(path, network) for path, _ in owners)
    return [_fact(network, path, owner, tables[stack_of(path, network)]) for path, owner in owners]


def _fact(network: nn.Module, path: str, owner: nn.Module, tables: int) -> Fact:
    config = getattr(network, "config", None)
    table: nn.Embedding = getattr(owner, _NAME)
    causal = bool(getattr(owner, "is_decoder", False))
    # MPNet's own code has the number of T5's published models in it, and no entry of the config changes it.
    says = getattr(owner, "relative_attention_max_distance", None)
    farthest = whole(says) or FARTHEST
    weight, layer = numbers(table.weight), layer_of(path)
    shared = tables == 1
    source = f"{path}.{_NAME}.weight".removeprefix(".")
    return Fact(
        scheme="relative",
        stack=stack_of(path, network),
        layers=None if shared or layer is None else (layer,),
        thing=None if weight is None else bias_of(weight, causal, farthest),
        source=source,
        lines=bias_lines(table.num_embeddings, table.embedding_dim, farthest, causal, weight),
        notes=(*_notes(config, shared, layer, causal, weight), *untrained(weight, causal, farthest)),
        trained=whole(getattr(config, "n_positions", None)),
    )


def _notes(config: Any, shared: bool, layer: int | None, causal: bool, weight: Tensor | None) -> list[str]:
    notes = []
    if shared and layer is not None:
        notes.append(f"Layer {layer} owns the table, and all layers of the stack use it.")
    if causal:
        notes.append("A token sees none after it, so every bucket is for distances back.")
    else:
        notes.append("Half of the buckets are for keys before the query, half for keys after it.")
    if getattr(config, "encoder_attention_type", None) == "transient-global":
        notes.append("Summaries of blocks, which this encoder attends to as well, have a table of their own.")
    if weight is None:
        notes.append(ABSENT)
    return notes


def untrained(table: Tensor | None, causal: bool, farthest: int = FARTHEST) -> tuple[str, ...]:
    """A sentence where the rows of far distances are exactly 0, as they were before training; table (buckets, H)."""
    if table is None:
        return ()
    read = buckets(-torch.arange(farthest + 1), causal, len(table), farthest)  # (farthest + 1,)
    trained = (table != 0).any(-1)[read].nonzero()[:, 0]
    if not len(trained) or (first := int(trained[-1]) + 1) > farthest:
        return ()
    return (f"From distance {first} on the table is exactly 0: no text of the training was so long.",)


def bias_of(table: Tensor, causal: bool, farthest: int = FARTHEST) -> Bias:
    """By offset what a table of float32 (buckets, H) adds: up to twice the distance that all buckets end at."""
    reach = min(2 * farthest, FARTHEST_SHOWN)
    found = buckets(torch.arange(-reach, reach + 1), causal, len(table), farthest)  # (2R + 1,)
    values = table[found].T.contiguous()  # (2R + 1, H) -> (H, 2R + 1)
    return Bias(values, causal, starts_of(found))


def starts_of(rows: Tensor) -> tuple[int, ...]:
    """The smallest distances, of keys up to the query, from which on another row is read: rows (2R + 1,)."""
    before = rows[: len(rows) // 2 + 1].flip(0)  # (R + 1,), distance 0 first
    changes = (before.diff() != 0).nonzero()[:, 0] + 1
    return (0, *changes.tolist())


def bias_lines(
    count: int, heads: int, farthest: int, causal: bool, table: Tensor | None
) -> tuple[tuple[str, str], ...]:
    """What is worth saying of a table of `count` buckets."""
    starts = starts_of(buckets(torch.arange(-farthest, farthest + 1), causal, count, farthest))
    lines = [
        ("buckets", words(count)),
        ("heads", words(heads)),
        ("one bucket from", f"distance {starts[-1]} on"),
    ]
    if table is not None:
        lines.append(("bias", f"{words(float(table.min()))} to {words(float(table.max()))}"))
    return tuple(lines)
