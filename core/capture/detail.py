"""How one query token came to its weights: the products of one head's query and keys, step by step."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class QueryKeyDetail:
    """One query of one head and all its keys: softmax(cap(q · k · scale) + bias + mask), with every step to look at.

    All tensors are float32 on the CPU. What is not a field is computed when asked, from the fields alone.

    stream, layer, head, position   where this is; position is that of the query token, counted from 0
    query    (D,), after any rotation; None where the model's queries and keys cannot be seen
    key      (S, D), after any rotation: those of the key-value head that the head reads; None with the query
    scale    factor on q · k
    softcap  None, or c of c · tanh(q · k · scale / c)
    bias     None, or (S,): what is added, such as a position bias. Where all that is known of it is what the logits
             have more than the products, it is 0 where the query could not attend
    mask     None, or (S,): a float mask that is added
    masked   bool (S,): True where the query could not attend
    logits   (S,): what the softmax is taken of, -inf where the query could not attend, and where a weight is too small
             to tell, which `remark` says. A row's weights do not change with a number that is added to all of its
             logits, and some models add one: it is left out where the query is known
    weights  (S,): the head's weights for this query, all zero where it could attend to nothing
    sink     None, or the score of what is no token and has its share of the weight
    sink_weight   what goes to the sink, 0 to 1
    remark   what is missing, in one sentence; "" where nothing is
    """

    stream: str
    layer: int
    head: int
    position: int
    query: Tensor | None
    key: Tensor | None
    scale: float
    softcap: float | None
    bias: Tensor | None
    mask: Tensor | None
    masked: Tensor
    logits: Tensor
    weights: Tensor
    sink: float | None = None
    sink_weight: float = 0.0
    remark: str = ""

    @property
    def dims(self) -> int:
        """The width of the query and of a key; 0 where they cannot be seen."""
        return 0 if self.query is None else len(self.query)

    @property
    def products(self) -> Tensor:
        """q_d · k_jd of each dimension d and key j: (D, S), with D = 0 where they cannot be seen."""
        if self.query is None or self.key is None:
            return self.logits.new_zeros(0, len(self.logits))
        return self.query[:, None] * self.key.T

    @property
    def dots(self) -> Tensor | None:
        """q · k, the sum of the products over the dimensions: (S,)."""
        return self.products.sum(dim=0) if self.dims else None

    @property
    def scaled(self) -> Tensor | None:
        """q · k · scale: (S,)."""
        return None if self.dots is None else self.dots * self.scale

    @property
    def capped(self) -> Tensor | None:
        """The scaled products after the soft-cap, or as they are without one: (S,)."""
        if self.scaled is None or self.softcap is None:
            return self.scaled
        return torch.tanh(self.scaled / self.softcap) * self.softcap

    @property
    def added(self) -> Tensor | None:
        """All that is added to the capped products, bias and mask: (S,); None where nothing is."""
        parts = [part for part in (self.bias, self.mask) if part is not None]
        return torch.stack(parts).sum(dim=0) if parts else None
