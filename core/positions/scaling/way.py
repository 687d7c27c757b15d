"""What every scaling of rotary frequencies has, and the symbols that their formulas share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.positions.objects import Formula
from core.positions.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

NEW = (r"w'_i", "frequency of pair i after scaling, in radians a position")
PLAIN = ("w_i", "frequency of pair i as trained, in radians a position")
BASE = ("b", "base of the frequencies")
PAIR = ("i", "number of the pair, from 0, the fastest")
WIDTH = ("d", "coordinates of a query or key that are turned")
FACTOR = ("s", "factor: how many times longer than in training the texts are")
TRAINED = ("L_0", "positions of the training")


@dataclass(frozen=True)
class Scaling:
    """One way to turn pairs of coordinates more slowly, so that a longer text has the angles of the training.

    name     as configs write it
    title    as menus write it
    summary  one sentence
    formula  with every symbol explained
    apply    (plain, settings) -> (frequencies, temperature): floating (P,) in radians a position, the fastest pair
             first, to the same after scaling, and what cosine and sine are multiplied by (a score by its square).
             The width is twice the pairs; of the settings it reads factor, trained and base
    """

    name: str
    title: str
    summary: str
    formula: Formula
    apply: Callable[[Tensor, Settings], tuple[Tensor, float]]
