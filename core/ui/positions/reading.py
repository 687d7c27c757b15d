"""What must be known about how a text was read, such as what was cut off at the model's length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.ui.words import notes

if TYPE_CHECKING:
    from core.text import Note


def reading_notes(found: Sequence[Note]) -> None:
    """The sentences, as the Attention page has them."""
    notes([(each.sentence, "warning" if each.warning else "info") for each in found], "positions_reading")
