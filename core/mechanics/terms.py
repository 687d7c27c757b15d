"""The three terms that a DeBERTa's scores are made of, from the weights of the open model and one run of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers.models.deberta.modeling_deberta import DisentangledSelfAttention as FirstAttention
from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention as SecondAttention

from core.capture import Call, record
from core.errors import HeadlightError
from core.jobs import Job
from core.models.cost import require_room
from core.models.model import Model
from core.models.out_of_memory import memory_worded
from core.positions.deberta import log_rows, rows, terms
from core.positions.encoding import distances
from core.positions.objects import Terms
from core.text import Tokens

# How far the softmax of the terms' sum may be from the weights that the model used, by bytes of a number.
TOLERANCE = {2: 0.1, 4: 1e-3}


class Operands(NamedTuple):
    """What the terms of a layer are products of; see `core.positions.deberta.terms`.

    query, key                    (H, T, W)
    position_query, position_key  (H, rows, W), or None
    numbers                       (T, T)
    scale                         of all products
    """

    query: Tensor
    key: Tensor
    position_query: Tensor | None
    position_key: Tensor | None
    numbers: Tensor
    scale: float


@torch.no_grad()
def terms_of(model: Model, text: str, layer: int, job: Job | None = None) -> tuple[Terms, Tokens]:
    """The terms of all scores of a layer and the tokens that they are between; their sum is what the softmax is of.

    A term that the model was built without (`pos_att_type`) is zero, and named in `Terms.absent`. All on the CPU.
    job: told after each layer of the run.
    Raises HeadlightError, one sentence, for a model of another kind, a layer that there is not, and where the softmax
    of the sum is not the model's weights.
    """
    attention = _attention(model, layer)
    reading = model.read(text)
    tokens = reading.tokens
    require_room(model.card, model.dtype.itemsize, model.device, len(tokens))
    layers = model.card.layers["self"]

    def on_call(done: int) -> None:
        if job is not None:
            job.advance(min(done, layers), layers, f"{done} of {layers} layers")

    with record(model.network, on_call) as recording, memory_worded(model.name, model.device):
        states = model.network(**model.inputs(reading), output_hidden_states=True).hidden_states
    table = _encoder(model).get_rel_embedding()
    operands = (_first if isinstance(attention, FirstAttention) else _second)(attention, states[layer], table)
    # The paper reads Qr at d(j, i); the authors' code, and so each trained model, at d(i, j).
    # https://github.com/microsoft/DeBERTa/issues/162
    found = terms(*operands[:5], query_numbers=operands.numbers, scale=operands.scale)
    _require_same(found, recording.calls[layer], model)
    return _on_cpu(found), tokens


def _attention(model: Model, layer: int) -> FirstAttention | SecondAttention:
    layers = getattr(_encoder(model), "layer", ())
    modules = [getattr(getattr(each, "attention", None), "self", None) for each in layers]
    plain = [each for each in modules if isinstance(each, FirstAttention | SecondAttention)]
    if not plain or len(plain) != len(modules):
        raise HeadlightError(f"{model.name} does not add up scores in the three terms of DeBERTa: open a DeBERTa.")
    if getattr(plain[0], "talking_head", False):
        raise HeadlightError(
            f"The heads of {model.name} are mixed before the softmax, so no head has terms of its own: open another "
            "DeBERTa."
        )
    if not 0 <= layer < len(plain):
        raise HeadlightError(f"{model.name} has the layers 0 to {len(plain) - 1}, and none numbered {layer}.")
    return plain[layer]


def _encoder(model: Model) -> Any:
    return getattr(model.network.base_model, "encoder", None)


def _first(attention: Any, states: Tensor, table: Tensor | None) -> Operands:
    """DeBERTa: one projection for queries, keys and values, whose heads lie side by side. states: (1, T, D)."""
    heads, kinds = attention.num_attention_heads, attention.pos_att_type
    joined = _split(attention.in_proj(states[0]), heads)  # (T, D) -> (H, T, 3 W)
    query, key, _ = joined.chunk(3, dim=-1)  # (H, T, W)
    query = query + _split(attention.q_bias[None], heads)  # (H, T, W) + (H, 1, W)
    of_query = of_key = None
    if table is not None:
        of_key = _split(attention.pos_proj(table), heads) if "c2p" in kinds else None  # (rows, D) -> (H, rows, W)
        of_query = _split(attention.pos_q_proj(table), heads) if "p2c" in kinds else None
    numbers = rows(_differences(states), getattr(attention, "max_relative_positions", 1))
    return Operands(query, key, of_query, of_key, numbers, ((1 + len(kinds)) * query.shape[-1]) ** -0.5)


def _second(attention: Any, states: Tensor, table: Tensor | None) -> Operands:
    """DeBERTa v2 and v3, whose positions may be projected by the very layers that project contents."""
    heads, kinds = attention.num_attention_heads, attention.pos_att_type
    query, key = (_split(layer(states[0]), heads) for layer in (attention.query_proj, attention.key_proj))  # (H, T, W)
    asked = [kind for kind in ("c2p", "p2c") if kind in kinds]
    of_query = of_key = None
    if table is not None:
        table = table[: 2 * attention.pos_ebd_size]
        shared = attention.share_att_key
        if "c2p" in asked:  # (rows, D) -> (H, rows, W)
            of_key = _split((attention.key_proj if shared else attention.pos_key_proj)(table), heads)
        if "p2c" in asked:
            of_query = _split((attention.query_proj if shared else attention.pos_query_proj)(table), heads)
    scale = ((1 + len(asked)) * query.shape[-1]) ** -0.5
    return Operands(query, key, of_query, of_key, _second_numbers(attention, states), scale)


def _second_numbers(attention: Any, states: Tensor) -> Tensor:
    """d(i, j): (T, T). Buckets that grow where the config has some."""
    difference = _differences(states)
    if not attention.relative_attention:
        return torch.zeros_like(difference)
    buckets, farthest = attention.position_buckets, attention.max_relative_positions
    return log_rows(difference, buckets, farthest) if buckets > 0 else rows(difference, farthest)


def _differences(states: Tensor) -> Tensor:
    """Query position minus key position: whole numbers (T, T)."""
    return -distances(states.shape[1], states.shape[1], states.device)


def _split(vectors: Tensor, heads: int) -> Tensor:
    """(T, H W) -> (H, T, W)."""
    return vectors.unflatten(-1, (heads, -1)).transpose(0, 1)


def _require_same(found: Terms, call: Call, model: Model) -> None:
    weights = found.total.masked_fill(call.masked(), -torch.inf).softmax(-1)  # (H, T, T)
    error = float((weights - call.weights()).abs().max())
    if not error <= TOLERANCE.get(model.dtype.itemsize, 1e-3):
        raise HeadlightError(
            f"The three terms do not add up to the attention of {model.name} (a weight is off by {error:.1e}), so they "
            "are not shown: open another DeBERTa."
        )


def _on_cpu(found: Terms) -> Terms:
    return Terms(
        found.content_to_content.cpu(),
        found.content_to_position.cpu(),
        found.position_to_content.cpu(),
        found.absent,
    )
