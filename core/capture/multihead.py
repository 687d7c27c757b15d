"""torch's own multi-head attention, which hands out its weights when it is asked for them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from core.capture.origin import Origin
from core.capture.scores import Addition

_SIGNATURE = inspect.signature(F.multi_head_attention_forward)


class MultiHeadMap(NamedTuple):
    """weights: (B, H, T, S); blocked: bool, broadcastable to it, or None; has_sink: keys that are no input were cut.

    value: what the function made its values of

    origin: the queries and keys, computed again
    """

    weights: Tensor
    blocked: Tensor | None
    has_sink: bool
    value: Tensor
    error: Tensor
    origin: Origin


def with_weights(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[tuple[Tensor, Tensor | None], MultiHeadMap]:
    """Run `F.multi_head_attention_forward` as it was called; returns what its caller expects, and the map.

    Asked for its weights, the function computes them and multiplies the values with them.
    """
    given = _SIGNATURE.bind(*args, **kwargs)
    given.apply_defaults()
    call: dict[str, Any] = dict(given.arguments)
    output, each_head = function(**{**call, "need_weights": True, "average_attn_weights": False})
    average = each_head.mean(dim=-3) if call["average_attn_weights"] else each_head
    expected = (output, average if call["need_weights"] else None)

    unbatched = call["query"].dim() == 2
    weights = each_head[None] if unbatched else each_head  # (B, H, T, S)
    keys = call["key"].shape[0]
    seen = MultiHeadMap(
        weights=weights[..., :keys].detach(),
        blocked=_blocked(call, weights.shape[0], weights.shape[1]),
        has_sink=weights.shape[-1] > keys,
        value=call["value"],
        error=_error(call, weights.detach(), output.detach(), unbatched),
        origin=_origin(call, unbatched),
    )
    return expected, seen


def _blocked(call: Mapping[str, Any], batch: int, heads: int) -> Tensor | None:
    """The cells that its masks exclude: bool (B or 1, H or 1, T or 1, S)."""
    excluded = []
    mask, padding = call["attn_mask"], call["key_padding_mask"]
    if mask is not None:
        cells = _excludes(mask)  # (T, S) or (B · H, T, S)
        excluded.append(cells[None, None] if cells.dim() == 2 else cells.view(batch, heads, *cells.shape[1:]))
    if padding is not None:
        cells = _excludes(padding)  # (B, S) or (S,)
        excluded.append(cells.view(-1, 1, 1, cells.shape[-1]))
    if not excluded:
        return None
    return excluded[0] | excluded[1] if len(excluded) == 2 else excluded[0]


def _excludes(mask: Tensor) -> Tensor:
    return mask if mask.dtype == torch.bool else mask <= torch.finfo(mask.dtype).min / 2


@torch.no_grad()
def _error(call: Mapping[str, Any], weights: Tensor, output: Tensor, unbatched: bool) -> Tensor:
    """A·V = O, where O is what the output projection makes of all heads: one error for all of them, (H,)."""
    batch, heads, _, columns = weights.shape
    value = _projected(call, "value", unbatched)  # (S, B, E)
    per_head = value.reshape(len(value), batch, heads, -1).permute(1, 2, 0, 3).float()  # (B, H, S, D)
    if call["static_v"] is not None:
        per_head = call["static_v"].view(batch, heads, -1, per_head.shape[-1]).float()
    if call["bias_v"] is not None:
        extra = call["bias_v"].view(1, heads, 1, -1).expand(batch, -1, -1, -1)
        per_head = torch.cat([per_head, extra.float()], dim=2)
    if call["add_zero_attn"]:
        per_head = F.pad(per_head, (0, 0, 0, 1))
    assert per_head.shape[2] == columns
    row = (weights[:, :, -1:].float() @ per_head)[:, :, 0].reshape(batch, -1)  # (B, H, 1, D) -> (B, E)
    bias = call["out_proj_bias"]
    mine = F.linear(row, call["out_proj_weight"].float(), None if bias is None else bias.float())  # (B, E)
    theirs = (output[-1][None] if unbatched else output[-1]).float()  # (B, E)
    largest = max(float(theirs.abs().max()), 1e-4)
    error = (mine - theirs).abs().max() / largest
    finite = torch.isfinite(weights.sum(dim=(0, 2, 3))) & torch.isfinite(per_head.sum(dim=(0, 2, 3)))  # (H,)
    finite &= torch.isfinite(output.sum()) | ~finite.all()  # where no head shows it, all are suspected
    return torch.where(finite, error.nan_to_num(torch.inf), torch.nan)


@torch.no_grad()
def _origin(call: Mapping[str, Any], unbatched: bool) -> Origin:
    """Queries (B, H, T, D), keys (B, H, S, D), and the numbers that a float mask adds."""
    if call["static_k"] is not None:
        return Origin()
    heads, mask = call["num_heads"], call["attn_mask"]
    query, key = (_projected(call, name, unbatched) for name in ("query", "key"))
    query, key = (t.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3) for t in (query, key))  # (S, B, E) -> (B, H, S, D)
    added: tuple[Addition, ...] = ()
    if mask is not None and mask.dtype != torch.bool and not bool(((mask == 0) | _excludes(mask)).all()):
        added = (Addition(1.0, mask[None, None] if mask.dim() == 2 else mask.unflatten(0, (-1, heads))),)
    return Origin(query=query, key=key, scale=query.shape[-1] ** -0.5, added=added)


def _projected(call: Mapping[str, Any], name: str, unbatched: bool) -> Tensor:
    """What becomes of "query", "key" or "value": (S, B, E)."""
    width, bias = call["embed_dim_to_check"], call["in_proj_bias"]
    place = ("query", "key", "value").index(name)
    part = slice(place * width, (place + 1) * width)
    weight = call[f"{name[0]}_proj_weight"] if call["use_separate_proj_weight"] else call["in_proj_weight"][part]
    projected: Tensor = F.linear(call[name], weight, None if bias is None else bias[part])
    return projected[:, None] if unbatched else projected
