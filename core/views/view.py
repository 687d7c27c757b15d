"""What a person looks at: stream, layer, head, and how it is coloured and filtered."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import HeadlightError
from core.heads import EVERY_TOKEN, Filters
from core.views.scales import SCALES, SPANS


@dataclass(frozen=True)
class View:
    """One head of one stream, or the mean over the heads of a layer, and how it is drawn.

    head        None for the mean over the heads
    scale       a name of `SCALES`: how weights become colours
    span        a name of `SPANS`: what the strongest colour stands for
    row, col    token positions at which the window of a long map starts
    Raises HeadlightError for a scale or a span that there is not.
    """

    stream: str
    layer: int
    head: int | None
    scale: str = "sqrt"
    span: str = "head"
    filters: Filters = EVERY_TOKEN
    row: int = 0
    col: int = 0

    def __post_init__(self) -> None:
        for name, asked, known in (("scale", self.scale, SCALES), ("span", self.span, SPANS)):
            if asked not in known:
                raise HeadlightError(f"There is no {name} {asked!r}: choose {', '.join(known)}.")
