"""The detail of one query, from an attention call however it was kept."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from core.capture.call import AttentionCall
from core.capture.detail import QueryKeyDetail
from core.capture.kept import EVERYTHING, Call
from core.capture.origin import Origin, tolerance_of
from core.capture.sparse import SparseCall
from core.capture.stored import StoredCall
from core.errors import HeadlightError

NO_PRODUCTS = "This model's queries and keys cannot be seen: its scores are shown without them."
NO_SIZE = (
    "This model's queries and keys cannot be seen, and its scores only up to a number that is the same for all keys."
)
TOO_SMALL = "Some weights are too small for their number format, so the scores behind them are shown as minus infinity."


@torch.no_grad()
def query_key_detail(call: Call, head: int, query: int, batch: int = 0) -> QueryKeyDetail:
    """The detail of one query of one head.

    query: position of the query token; batch: which text of the batch.
    Queries and keys are shown only if they lead to the weights that the model used; `QueryKeyDetail.remark` says where
    they do not. Raises IndexError for what the call does not have, and HeadlightError for a head that was changed.
    """
    texts = call.kept[0].shape[0]
    for name, asked, count in (("head", head, call.heads), ("query", query, call.queries), ("text", batch, texts)):
        if not 0 <= asked < count:
            raise IndexError(f"{name} {asked} is not one of 0 to {count - 1}")
    if head in call.changed:
        raise HeadlightError(
            f"Head {head} of layer {call.layer} was changed, so its weights do not come from its queries and keys: "
            "look at it without the change."
        )
    if isinstance(call, AttentionCall):
        return _of_attention(call, head, query, batch)
    assert isinstance(call, (StoredCall, SparseCall))
    return _of_weights(call, head, query, batch)


def _of_attention(call: AttentionCall, head: int, query: int, batch: int) -> QueryKeyDetail:
    """Everything from what the model handed over."""
    group = head // (call.heads // call.key_value_heads)
    additive = call.mask is not None and call.mask.dtype != torch.bool
    unknown = torch.full((call.keys,), torch.nan)
    detail = QueryKeyDetail(
        stream=call.stream,
        layer=call.layer,
        head=head,
        position=query,
        query=_own(call.query[batch, head, query]),
        key=_own(call.key[batch, group]),
        scale=call.scale,
        softcap=call.softcap,
        bias=None if call.bias is None else _added(call, call.bias, head, query, batch),
        mask=_added(call, call.mask, head, query, batch) if call.mask is not None and additive else None,
        masked=_masked(call, head, query, batch),
        logits=unknown,
        weights=unknown,
        sink=None if call.sinks is None else float(_at(call, call.sinks, head, query, batch)),
    )
    logits = _sum_of(detail)
    softmax = _softmax(logits, detail.sink)
    sink_weight = 0.0 if detail.sink is None else float(softmax[-1])
    return replace(detail, logits=logits, weights=softmax[: call.keys], sink_weight=sink_weight)


def _of_weights(call: StoredCall | SparseCall, head: int, query: int, batch: int) -> QueryKeyDetail:
    """From the weights that the model used, and from what led to them as far as that is known."""
    origin, row = _origin_of(call, query, batch)
    weights = _own(call.weights([head], slice(query, query + 1), batch=batch)[0, 0])
    masked = _masked(call, head, query, batch)
    size = 0.0 if origin.lse is None else float(origin.lse[batch, head, row])
    logits = (weights.log() + size).masked_fill(masked, -torch.inf)
    rest = 1 - float(weights.sum())
    # Each weight is right to an eps or two of its own, so their sum is to as much of 1.
    is_told = rest > 4 * torch.finfo(call.stored.dtype).eps and not bool(masked.all())
    sink_weight = rest if call.has_sink and is_told else 0.0
    known = QueryKeyDetail(
        stream=call.stream, layer=call.layer, head=head, position=query, query=None, key=None, scale=1.0, softcap=None,
        bias=None, mask=None, masked=masked, logits=logits, weights=weights, sink_weight=sink_weight,
        remark=_remark(call, origin),
    )  # fmt: skip
    tolerance = tolerance_of(call.stored.dtype)
    detail = _with_products(known, origin, row, batch, tolerance) or known
    if not call.has_sink or not bool((weights > 0).any()):
        return detail
    largest = int(weights.argmax())
    sink = float(detail.logits[largest] - weights[largest].log() + torch.tensor(sink_weight).log())
    return replace(detail, sink=sink)


def _remark(call: StoredCall | SparseCall, origin: Origin) -> str:
    """What must be said where queries and keys are not known; the module itself knows best."""
    said = call.remark if isinstance(call, StoredCall) else ""
    return said or (NO_SIZE if origin.lse is None else NO_PRODUCTS)


def _with_products(
    known: QueryKeyDetail, origin: Origin, row: int, batch: int, tolerance: float
) -> QueryKeyDetail | None:
    """The same with query and key; None where they are not known, or do not lead to this row of weights."""
    if origin.query is None or origin.key is None:
        return None
    detail = replace(
        known, query=_own(origin.query[batch, known.head, row]), key=_own(origin.key[batch, known.head]),
        scale=origin.scale, remark="",
    )  # fmt: skip
    if origin.added is None:
        scaled = _sum_of(detail)
        too_small = bool((torch.isinf(known.logits) & ~known.masked).any())
        bias = (known.logits - scaled).masked_fill(known.masked, 0)
        return replace(detail, bias=bias, remark=TOO_SMALL if too_small else "")
    if origin.added:
        shape = (*origin.query.shape[:3], origin.key.shape[2])
        rows = [a.factor * _own(a.tensor.expand(shape)[batch, known.head, row]) for a in origin.added]
        detail = replace(detail, bias=torch.stack(rows).sum(dim=0).masked_fill(known.masked, 0))
    logits = _sum_of(detail)
    error = (_softmax(logits, None) * (1 - known.sink_weight) - known.weights).abs().max()
    return replace(detail, logits=logits) if float(error) <= tolerance else None


def _origin_of(call: StoredCall | SparseCall, query: int, batch: int) -> tuple[Origin, int]:
    """What the query's weights come from, and the number of its row there."""
    if isinstance(call, SparseCall) and call.whole is not None:
        places = call.whole[2][batch].tolist()
        if query in places:
            return call.of_whole, places.index(query)
    return call.origin, query


def _sum_of(detail: QueryKeyDetail) -> Tensor:
    """The logits that the detail's own steps lead to: (S,)."""
    capped, added = detail.capped, detail.added
    assert capped is not None
    return (capped if added is None else capped + added).masked_fill(detail.masked, -torch.inf)


def _softmax(logits: Tensor, sink: float | None) -> Tensor:
    """(S,), or (S + 1,) with the sink as the last; all zero where there is no logit."""
    whole = logits if sink is None else torch.cat([logits, logits.new_tensor([sink])])
    return torch.zeros_like(whole) if bool(torch.isneginf(logits).all()) else torch.softmax(whole, dim=-1)


def _masked(call: Call, head: int, query: int, batch: int) -> Tensor:
    """What the query could not attend to: bool (S,)."""
    return call.masked(slice(query, query + 1), EVERYTHING, batch, [head])[0, 0].expand(call.keys).cpu().clone()


def _at(call: AttentionCall, tensor: Tensor, head: int, query: int, batch: int) -> Tensor:
    """The row of something broadcastable to (B, H, T, ...) that belongs to one query of one head."""
    return tensor.expand(call.query.shape[0], call.heads, call.queries, -1)[batch, head, query]


def _added(call: AttentionCall, tensor: Tensor, head: int, query: int, batch: int) -> Tensor:
    """What is added to each key's score: (S,)."""
    return _own(_at(call, tensor, head, query, batch)[: call.keys].expand(call.keys))


def _own(tensor: Tensor) -> Tensor:
    """A float32 copy on the CPU, so that a kept detail does not keep the whole call alive."""
    return tensor.detach().to("cpu", torch.float32, copy=True)
