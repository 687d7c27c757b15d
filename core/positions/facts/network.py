"""All positional schemes of a network."""

from __future__ import annotations

import logging
from collections.abc import Callable

from torch import nn

from core.positions.facts import biases, offsets, ours, rotary, slopes, tables
from core.positions.facts.fact import Fact

_READERS = (ours.read, tables.read, biases.read, slopes.read, rotary.read, offsets.read)


def facts_of(network: nn.Module) -> tuple[Fact, ...]:
    """What the network's weights and config say about positions, () where nothing is known. Never raises.

    A model may have several: DeBERTa's first version adds a learned table besides. Where layers or stacks differ,
    each has its own.
    """
    return tuple(fact for read in _READERS for fact in _read(read, network))


def _read(read: Callable[[nn.Module], list[Fact]], network: nn.Module) -> list[Fact]:
    try:
        return read(network)
    except Exception:  # a broken or foreign config may hold anything, and a page can do without these facts
        logging.getLogger(__name__).debug("%s found nothing", read.__module__, exc_info=True)
        return []
