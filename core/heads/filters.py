"""What is left out of a map, and whether it is told by tokens or by words."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import HeadlightError

SPECIAL = ("show", "hide", "renormalise")


@dataclass(frozen=True)
class Filters:
    """How a map is shown; the same for its rows and its columns.

    words     tokens of a word are merged: columns summed, rows averaged; see `core.text.merging`
    special   "show": special tokens like any other. "hide": their rows and columns are left out, so rows sum to less.
              "renormalise": left out, and each row is divided by what is left of it, so that it sums to one, also where
              the head gives a share to a sink; a row with nothing left stays zero

    Raises HeadlightError for another value of `special`.
    """

    words: bool = False
    special: str = "show"

    def __post_init__(self) -> None:
        if self.special not in SPECIAL:
            raise HeadlightError(
                f"Special tokens can be {', '.join(SPECIAL)}, not {self.special!r}: choose one of these."
            )

    @property
    def hides(self) -> bool:
        """Whether special tokens are left out."""
        return self.special != "show"


EVERY_TOKEN = Filters()
