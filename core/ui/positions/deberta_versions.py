"""DeBERTa by formula: its first version clips far offsets, the second and the third put them into growing buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.positions.objects import Buckets, Formula, Terms
    from core.positions.settings import Settings

CLIPPED, GROWING = "1", "2"
VERSIONS = {CLIPPED: "1 · clipped", GROWING: "2, 3 · buckets"}
# Fields of `Settings` that the buckets read.
USES = ("length", "width", "buckets", "farthest", "seed")


def formula_of(version: str) -> Formula:
    """The formula with every symbol explained."""
    from core.positions.deberta import FORMULA, LOG_FORMULA

    return LOG_FORMULA if version == GROWING else FORMULA


def is_clipped(buckets: Buckets) -> bool:
    """Whether each distance up to the farthest that is told apart reads a row of its own, as in the first version."""
    return buckets.starts == tuple(range(len(buckets.starts)))


def thing_of(version: str, settings: Settings) -> Buckets:
    """Which row of a learned table each offset reads."""
    from core.positions.deberta import log_thing, thing

    return log_thing(settings) if version == GROWING else thing(settings)


def terms_of(version: str, settings: Settings) -> Terms:
    """The terms of one head whose vectors are drawn at random, see `core.positions.deberta.illustration`."""
    from core.positions.deberta import illustration, log_illustration

    return log_illustration(settings) if version == GROWING else illustration(settings)
