"""A penalty proportional to the distance, added to the scores (ALiBi: Press and others 2022, section 3).

The paper shows causal stacks, and encoders need a change, as its first author says
(https://github.com/ofirpress/attention_with_linear_biases/issues/5): ours take off half as much for later keys.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.positions.effects import held
from core.positions.encoding import Encoding, distances
from core.positions.objects import Bias, ByDistance, Formula
from core.positions.settings import Settings

# Were both sides alike, an encoder would give a text and its reverse the same states, and a decoder could not tell.
AFTER = 0.5

_SCORE = ("e_{ij}", "score of query i for key j, before softmax")
_VECTORS = (r"q_i,\ k_j", "query of token i and key of token j, from the tokens alone")
_WIDTH = ("d", "width of a head")
_SLOPE = ("m_h", "slope of head h, set by the formula and not learned")
_HEAD = ("h", "number of the head, from 1; figures count heads from 0")
_HEADS = ("H", "heads of a layer; where no power of two, slopes of the next smaller one and every second of the next")
_PAPER = 'Press and others 2022, "Train Short, Test Long", section 3'

FORMULA = Formula(
    r"e_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} - m_h\,(i - j) \quad (j \le i), \qquad m_h = 2^{-8h/H}",
    (_SCORE, _VECTORS, _WIDTH, _SLOPE, ("i - j", "distance to the key; later keys are masked"), _HEAD, _HEADS),
    _PAPER,
)
FORMULA_BOTH_SIDES = Formula(
    r"e_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} - m_h\,a_{ij}\,|i - j|, \qquad m_h = 2^{-8h/H}",
    (
        _SCORE,
        _VECTORS,
        _WIDTH,
        _SLOPE,
        ("a_{ij}", "1 for keys up to the query, ½ for later ones: ours, where the paper masks them"),
        ("|i - j|", "distance of the two tokens"),
        _HEAD,
        _HEADS,
    ),
    f"{_PAPER}, for causal stacks; the half for later keys is ours",
)


def slopes(heads: int) -> Tensor:
    """What a head takes off its score per token of distance: float32 (H,).

    2^(-8h / H) for h = 1..H where H is a power of two. Elsewhere the slopes of the next smaller power of two, and then
    every second one of the next larger, as in the authors' code.
    """
    power = 2 ** math.floor(math.log2(heads))
    more = _geometric(2 * power)[0::2][: heads - power]
    return torch.cat([_geometric(power), more])


def _geometric(heads: int) -> Tensor:
    return 2.0 ** (-8 / heads * torch.arange(1, heads + 1))  # (H,)


def penalties(queries: int, keys: int, slope: Tensor, after: float = 1.0) -> Tensor:
    """-slope * |i - j|, times `after` for keys behind the query: (H,) -> (H, T, S). A causal stack masks those."""
    return _penalty(distances(queries, keys, slope.device), slope, after)


def _penalty(offsets: Tensor, slope: Tensor, after: float) -> Tensor:
    distance = torch.where(offsets > 0, after * offsets, -offsets)  # (...)
    return -slope.reshape(-1, *[1] * offsets.dim()) * distance  # (H, 1...) * (...) -> (H, ...)


def thing(settings: Settings) -> Bias:
    """The penalties of all heads by offset, and their slopes."""
    farthest = settings.length - 1
    offsets = torch.arange(-farthest, farthest + 1)
    slope = slopes(settings.heads)
    return Bias(_penalty(offsets, slope, 1.0 if settings.causal else AFTER), settings.causal, slopes=slope)


def by_distance(settings: Settings) -> ByDistance:
    """The bias of each head, as far as the length reaches."""
    return held(thing(settings), settings.length - 1)


class Alibi(Encoding):
    """Adds the penalties; nothing is learned."""

    def __init__(self, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads = heads
        self.after = 1.0 if causal else AFTER

    def bias(self, queries: int, keys: int, device: torch.device | None = None) -> Tensor:
        """See `Encoding.bias`."""
        return penalties(queries, keys, slopes(self.heads).to(device), self.after)


def build(width: int, heads: int, length: int, causal: bool) -> Encoding:
    """The encoding of a stack."""
    return Alibi(heads, causal)
