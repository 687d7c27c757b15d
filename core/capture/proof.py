"""The proof that recorded weights are the model's: A·V = O, the weights times the values give the model's output."""

from __future__ import annotations

import torch
from torch import Tensor

from core.capture.call import AttentionCall

# Keys that are summed in one go: float32 loses a unit or so with each number that it adds to a sum.
KEYS_AT_ONCE = 256
# Below this, values are as good as zero, and a share of them would only measure the rounding of a 16-bit format.
SMALLEST_VALUE = 1e-4


@torch.no_grad()
def error_of_call(call: AttentionCall, value: Tensor, output: Tensor) -> Tensor:
    """The error of each head, the worst of the batch: (H,), not yet fetched from the device.

    It is max |A·V - O| of the last query over the head's max |V|; NaN where any number of the output is not finite.

    value: (B, G, S, D); output: (B, T, H, D)
    """
    last = slice(call.queries - 1, call.queries)
    errors = []
    for b in range(output.shape[0]):
        weights = call.weights(rows=last, batch=b)  # (H, 1, S)
        mine = product_of_row(weights, call.heads_of(value[b]))[:, 0]  # (H, 1, D) -> (H, D)
        theirs = output[b, -1].float()  # (H, D)
        # Both ends, one dimension after the other: a tensor of sizes would cost three times as long.
        ends = torch.maximum(value[b].amax(dim=1), -value[b].amin(dim=1))  # (G, S, D) -> (G, D)
        largest = call.heads_of(ends.amax(dim=1)).float()  # (G, D) -> (H,)
        # One number that is not finite makes its head's sum so, and a sum needs no tensor of the output's size.
        sums = output[b].sum(dim=0, dtype=torch.float32)  # (T, H, D) -> (H, D)
        finite = torch.isfinite(sums.sum(dim=1))  # (H, D) -> (H,)
        errors.append(_share(mine, theirs, largest, finite))
    return torch.stack(errors).amax(0)


@torch.no_grad()
def rounding_of_call(call: AttentionCall) -> Tensor:
    """Units of float32 that rounding alone may cost each head's last query, the worst of the batch: (H,).

    A score is off by about as many units as it is large, at most scale · |q| · max |k|, in the model and in ours, and a
    softmax turns that into a share of each weight. The sum over the keys costs as well, see `rounding_of_sum`.
    """
    query = call.query[:, :, -1].float().norm(dim=-1)  # (B, H, T, D) -> (B, H)
    key = call.key.float().norm(dim=-1).amax(dim=-1)  # (B, G, S, D) -> (B, G)
    key = key.repeat_interleave(call.heads // call.key_value_heads, dim=1)  # (B, G) -> (B, H)
    scores = (query * key * abs(call.scale)).amax(dim=0)
    return (2 * scores).clamp_min(rounding_of_sum(call.keys))


def rounding_of_sum(keys: int) -> float:
    """Units of float32 that a sum over so many keys may cost: half a unit each at worst, far less on the whole."""
    return keys / 8


@torch.no_grad()
def error_of_product(weights: Tensor, value: Tensor, output: Tensor) -> Tensor:
    """The same for weights that a model multiplied itself: (B, H, T, S), (B, 1 or H, S, D), (B, H, T, D) -> (H,)."""
    mine = product_of_row(weights[:, :, -1:].float(), value)[:, :, 0]  # (B, H, 1, S) @ (B, 1 or H, S, D) -> (B, H, D)
    theirs = output[:, :, -1].float()  # (B, H, D)
    largest = value.abs().amax(dim=(2, 3)).float()  # (B, 1 or H)
    finite = torch.isfinite(output.sum(dim=(2, 3), dtype=torch.float32))  # (B, H)
    return _share(mine, theirs, largest, finite).amax(0)


def product_of_row(weights: Tensor, value: Tensor) -> Tensor:
    """(…, 1, S) @ (…, S, D) -> (…, 1, D), summed over blocks of keys and then over the blocks."""
    starts = range(0, weights.shape[-1], KEYS_AT_ONCE)
    cuts = [slice(start, start + KEYS_AT_ONCE) for start in starts]
    return torch.stack([weights[..., cut] @ value[..., cut, :].float() for cut in cuts]).sum(dim=0)


def _share(mine: Tensor, theirs: Tensor, largest: Tensor, finite: Tensor) -> Tensor:
    """(…, H, D), (…, H, D), (…, H), (…, H) -> (…, H)"""
    error = (mine - theirs).abs().amax(-1) / largest.clamp_min(SMALLEST_VALUE)
    return torch.where(finite, error, torch.nan)
