"""What was read about positions in one network."""

from __future__ import annotations

from dataclasses import dataclass

from core.positions.objects import Thing


@dataclass(frozen=True, eq=False)
class Fact:
    """One positional scheme of a network, as its weights and its config say.

    scheme   a name of `core.positions.SCHEMES`
    stack    "self", "encoder" or "decoder", as `core.capture.Trace` calls the stream
    layers   of that stack, counted from 0; None where all of them share it
    thing    what the scheme consists of; None where there is nothing to show, or where its numbers cannot be read
    source   where it was read: a module's path or an entry of the config
    lines    (what, value) pairs worth showing
    notes    sentences
    trained  positions that the config says the training had, None where it says nothing
    """

    scheme: str
    stack: str
    layers: tuple[int, ...] | None
    thing: Thing | None
    source: str
    lines: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    trained: int | None = None
