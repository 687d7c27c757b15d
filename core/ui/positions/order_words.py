"""The words beside a text and its words in another order: what came out, and what the identity says."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from core.text.labels import ADDED_SPACE, shortened, visible

if TYPE_CHECKING:
    from core.mechanics.order import OrderComparison

SPACE = visible(" ")

WITH, WITHOUT, ALONE = "with positions", "without positions", "what comes out"
AS_IT_IS = "as it is: it has no positions"
NOTHING = "—"
# Characters of a text that names a row.
MOST_LETTERS = 60
OUTPUTS = "Difference of the outputs"
OUTPUTS_HELP = (
    "0 where they are the same. Of a translation, the largest change in the probability of what it wrote; of labels "
    "and next tokens, half the sum of all changes; of a regression, the change of its number; of vectors, the largest "
    "change as a share of the largest number."
)
IDENTITY = "Largest difference of the maps once words are put back in place"
IDENTITY_HELP = (
    "The largest |A(Px) − P A(x) Pᵀ| over all layers and heads: x are the words, P puts them in another order, and A "
    "is a map of attention weights. Rounding explains up to {tolerance}."
)
PERMUTED = (
    "Without positions the moved words have the same maps, only permuted: attention is equivariant, not invariant."
)
CAUSAL = (
    "The causal mask lets a token see only those before it: even without positions, the maps are not merely permuted."
)
UNMOVED = "Nothing was moved yet: both texts are the same, and so is what came out of them."
HAS_NONE = "This model has no positions, so there is nothing to take out of it."
ROBBED = (
    "Positions were taken out of a model that was trained with them: this shows what it makes of words without order, "
    "not what a model trained without positions would do."
)
NOT_PERMUTED = "Without positions the maps still differ by more than rounding: something else in the model knows order."


@dataclass(frozen=True)
class Row:
    """A line of the table: its name, its cells, and what pointing at it explains."""

    name: str
    cells: tuple[str, ...]
    help: str = ""


def titles(found: OrderComparison, is_told: bool = True) -> tuple[str, ...]:
    """Of the columns. is_told: whether the model is told positions at all."""
    if not is_told:
        return "", AS_IT_IS
    return ("", ALONE) if found.bare_original is None else ("", WITH, WITHOUT)


def rows(found: OrderComparison, words: tuple[str, ...]) -> tuple[Row, ...]:
    """What came out of both texts, where anything in words did."""
    moved = joined(tuple(words[place] for place in found.order))
    pairs = ((joined(words), "original"), (moved, "moved"))
    found_rows = [(name, (found.output_words(which), found.output_words(f"bare_{which}"))) for name, which in pairs]
    if not any(any(cells) for _, cells in found_rows):
        return ()
    return tuple(_named(name, _cells(found, cells)) for name, cells in found_rows)


def _named(text: str, cells: tuple[str, ...]) -> Row:
    short = shortened(text, MOST_LETTERS)
    return Row(short, cells, text if short != text else "")


def differences(found: OrderComparison) -> Row:
    """How far the outputs are apart."""
    numbers = (_number(found.output_difference), _number(found.bare_output_difference))
    return Row(OUTPUTS, _cells(found, numbers), OUTPUTS_HELP)


def identity(found: OrderComparison) -> Row:
    """How far the maps are from being merely permuted."""
    numbers = (_number(found.difference), _number(found.bare_difference))
    return Row(IDENTITY, _cells(found, numbers), IDENTITY_HELP.format(tolerance=f"{found.tolerance:.0e}"))


def sentence_of(found: OrderComparison, is_told: bool = True) -> str:
    """What the numbers say. is_told: whether the model is told positions at all."""
    if found.order == tuple(sorted(found.order)):
        return UNMOVED
    if found.equivariant is None:
        return found.refused
    says = CAUSAL if found.causal else PERMUTED if found.equivariant else NOT_PERMUTED
    return f"{says} {ROBBED}" if is_told else f"{HAS_NONE} {says}"


def joined(words: tuple[str, ...]) -> str:
    """Words as a text: with spaces between them, except where the script has none. Marks of spaces are left out."""
    words = tuple(word.removeprefix(ADDED_SPACE).strip(SPACE) for word in words)
    gaps = ["" if _is_wide(one[-1:]) and _is_wide(other[:1]) else " " for one, other in pairwise(words)]
    return "".join(word + gap for word, gap in zip(words, [*gaps, ""], strict=True))


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF" and character.isalnum()


def _cells(found: OrderComparison, both: tuple[str, str]) -> tuple[str, ...]:
    shown = both if found.bare_original is not None else both[:1]
    return tuple(cell or NOTHING for cell in shown)


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value:.2g}" if value >= 0.001 or value == 0 else f"{value:.0e}"
