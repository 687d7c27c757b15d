"""How one query token came to its weights: the products of one head's query and keys, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.capture.call import AttentionCall
from core.capture.kept import EVERYTHING, Call
from core.errors import HeadlightError


@dataclass(frozen=True, eq=False)
class QueryKeyDetail:
    """One query of one head and all its keys: softmax(cap(q · k · scale) + bias + mask), with every step to look at.

    All tensors are float32 on the CPU. What is not a field is computed when asked, from the fields alone.

    stream, layer, head, position   where this is; position is that of the query token, counted from 0
    query    (D,), after any rotation
    key      (S, D), after any rotation: those of the key-value head that the head reads
    scale    factor on q · k
    softcap  None, or c of c · tanh(q · k · scale / c)
    bias     None, or (S,): a position bias that is added
    mask     None, or (S,): a float mask that is added
    masked   bool (S,): True where the query could not attend
    sink     None, or the score of a key that is no token and has no value
    """

    stream: str
    layer: int
    head: int
    position: int
    query: Tensor
    key: Tensor
    scale: float
    softcap: float | None
    bias: Tensor | None
    mask: Tensor | None
    masked: Tensor
    sink: float | None

    @property
    def products(self) -> Tensor:
        """q_d · k_jd of each dimension d and key j: (D, S)."""
        return self.query[:, None] * self.key.T

    @property
    def dots(self) -> Tensor:
        """q · k, the sum of the products over the dimensions: (S,)."""
        return self.products.sum(dim=0)

    @property
    def scaled(self) -> Tensor:
        """q · k · scale: (S,)."""
        return self.dots * self.scale

    @property
    def capped(self) -> Tensor:
        """The scaled products after the soft-cap, or as they are without one: (S,)."""
        return self.scaled if self.softcap is None else torch.tanh(self.scaled / self.softcap) * self.softcap

    @property
    def logits(self) -> Tensor:
        """What the softmax is taken of: (S,), -inf where the query could not attend."""
        total = self.capped
        for added in (self.bias, self.mask):
            total = total if added is None else total + added
        return total.masked_fill(self.masked, -torch.inf)

    @property
    def weights(self) -> Tensor:
        """The head's weights for this query: (S,); all zero where it could attend to nothing."""
        return self._softmax[: len(self.masked)]

    @property
    def sink_weight(self) -> float:
        """What goes to the sink, 0 to 1."""
        return 0.0 if self.sink is None else float(self._softmax[-1])

    @property
    def _softmax(self) -> Tensor:
        """(S,), or (S + 1,) with the sink as the last."""
        logits = self.logits
        if self.sink is not None:
            logits = torch.cat([logits, logits.new_tensor([self.sink])])
        return torch.zeros_like(logits) if bool(self.masked.all()) else torch.softmax(logits, dim=-1)


@torch.no_grad()
def query_key_detail(call: Call, head: int, query: int, batch: int = 0) -> QueryKeyDetail:
    """The detail of one query of one head.

    query: position of the query token; batch: which text of the batch.
    Raises IndexError for what the call does not have, and HeadlightError where the weights do not come from queries
    and keys: the model kept only its weights, or the head was changed.
    """
    if not isinstance(call, AttentionCall):
        raise HeadlightError(
            "This model computes its attention out of the library's sight, so its weights are known but not its "
            "queries and keys: choose another model for this view."
        )
    for name, asked, count in (
        ("head", head, call.heads), ("query", query, call.queries), ("text", batch, call.query.shape[0]),
    ):  # fmt: skip
        if not 0 <= asked < count:
            raise IndexError(f"{name} {asked} is not one of 0 to {count - 1}")
    if head in call.replaced:
        raise HeadlightError(
            f"Head {head} of layer {call.layer} was changed, so its weights do not come from its queries and keys: "
            "look at it without the change."
        )
    row = slice(query, query + 1)
    group = head // (call.heads // call.key_value_heads)
    additive = call.mask is not None and call.mask.dtype != torch.bool
    return QueryKeyDetail(
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
        masked=call.masked(row, EVERYTHING, batch, [head])[0, 0].expand(call.keys).cpu().clone(),
        sink=None if call.sinks is None else float(_at(call, call.sinks, head, query, batch)),
    )


def _at(call: AttentionCall, tensor: Tensor, head: int, query: int, batch: int) -> Tensor:
    """The row of something broadcastable to (B, H, T, ...) that belongs to one query of one head."""
    return tensor.expand(call.query.shape[0], call.heads, call.queries, -1)[batch, head, query]


def _added(call: AttentionCall, tensor: Tensor, head: int, query: int, batch: int) -> Tensor:
    """What is added to each key's score: (S,)."""
    return _own(_at(call, tensor, head, query, batch)[: call.keys].expand(call.keys))


def _own(tensor: Tensor) -> Tensor:
    """A float32 copy on the CPU, so that a kept detail does not keep the whole call alive."""
    return tensor.detach().to("cpu", torch.float32, copy=True)
