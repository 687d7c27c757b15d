"""Positional schemes as they are in a loaded network: its own tables, biases, slopes and frequencies."""

from core.positions.facts.fact import Fact
from core.positions.facts.network import facts_of

__all__ = ["Fact", "facts_of"]
