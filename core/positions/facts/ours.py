"""The positions of in-house networks, found by their classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from core.positions.alibi import Alibi, slopes
from core.positions.encoding import Encoding
from core.positions.facts.biases import bias_lines, bias_of, untrained
from core.positions.facts.fact import Fact
from core.positions.facts.offsets import vectors_of
from core.positions.facts.pairs import INTERLEAVED
from core.positions.facts.reading import ABSENT, heads_of, numbers, stack_of, trained_length, words
from core.positions.facts.rotation_words import rotation_lines
from core.positions.facts.slopes import alibi_fact
from core.positions.learned import Learned
from core.positions.objects import Rotation, Table, Thing
from core.positions.relative import FARTHEST, Relative
from core.positions.rotary import Rotary
from core.positions.settings import Settings
from core.positions.shaw import Shaw
from core.positions.shaw import thing as shaw_buckets
from core.positions.sinusoidal import BASE, Sinusoidal, frequencies, sinusoids

Lines = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class _Stack:
    """What a stack of one of our networks is, besides its positions."""

    name: str
    path: str
    causal: bool
    width: int
    heads: int
    length: int


def read(network: nn.Module) -> list[Fact]:
    """A fact for each stack."""
    found = [(path, module) for path, module in network.named_modules() if isinstance(module, Encoding)]
    return [_fact(_stack(network, path), module) for path, module in found]


def _stack(network: nn.Module, path: str) -> _Stack:
    config: Any = network.config
    return _Stack(
        name=stack_of(path, network),
        path=path,
        causal=bool(getattr(network.get_submodule(path.rpartition(".")[0]), "causal", False)),
        width=int(config.hidden_size),
        heads=heads_of(config) or 1,
        length=trained_length(config) or 1,
    )


def _fact(stack: _Stack, encoding: Encoding) -> Fact:
    match encoding:
        case Learned():
            return _learned(stack, encoding)
        case Sinusoidal():
            return _sinusoidal(stack)
        case Rotary():
            return _rotary(stack)
        case Relative():
            return _relative(stack, encoding)
        case Alibi():
            return _alibi(stack, encoding)
        case Shaw():
            return _shaw(stack, encoding)
    bag = "A token sees those before it, and can count them." if stack.causal else "The stack treats a text as a bag."
    return _told(stack, "none", None, "config.positions", (), bag)


def _told(stack: _Stack, scheme: str, thing: Thing | None, source: str, lines: Lines, *notes: str) -> Fact:
    missing = (ABSENT,) if thing is None and scheme != "none" else ()
    return Fact(scheme, stack.name, None, thing, source, lines, (*notes, *missing), stack.length)


def _learned(stack: _Stack, encoding: Learned) -> Fact:
    values = numbers(encoding.table)
    rows, width = encoding.table.shape
    note = f"There is no row after that of position {rows - 1:,}: a longer text cannot be read."
    lines = (("rows", words(rows)), ("positions", words(rows)), ("width", words(width)))
    thing = None if values is None else Table(values, learned=True)
    return _told(stack, "learned", thing, f"{stack.path}.table", lines, note)


def _sinusoidal(stack: _Stack) -> Fact:
    places = torch.arange(stack.length, dtype=torch.float64)
    table = Table(sinusoids(places, stack.width).float(), frequencies=frequencies(stack.width, like=places))
    lines = (("base", words(BASE)), ("width", words(stack.width)))
    note = "The formula has a row for any position, whether or not training reached it."
    return _told(stack, "sinusoidal", table, "config.positions", lines, note)


def _rotary(stack: _Stack) -> Fact:
    width = stack.width // stack.heads
    plain = frequencies(width, like=torch.empty(0, dtype=torch.float64))  # (P,)
    rotation = Rotation(plain, plain, width, INTERLEAVED, trained=stack.length, base=BASE)
    note = "Neighbouring coordinates make a pair, as in the paper; most models of the library pair halves."
    return _told(stack, "rotary", rotation, "config.positions", tuple(rotation_lines(rotation)), note)


def _relative(stack: _Stack, encoding: Relative) -> Fact:
    table = numbers(encoding.table)
    count, heads = encoding.table.shape
    lines = bias_lines(count, heads, FARTHEST, encoding.causal, table)
    thing = None if table is None else bias_of(table, encoding.causal)
    notes = ("All layers of the stack use the table.", *untrained(table, encoding.causal))
    return _told(stack, "relative", thing, f"{stack.path}.table", lines, *notes)


def _alibi(stack: _Stack, encoding: Alibi) -> Fact:
    note = "Nothing of it is learned."
    if not stack.causal:
        note += f" Keys after the query cost {words(encoding.after)} of what keys before it do, or order would be lost."
    found = slopes(encoding.heads)
    return alibi_fact(found, stack.causal, stack.name, "config.positions", (note,), stack.length, encoding.after)


def _shaw(stack: _Stack, encoding: Shaw) -> Fact:
    values = numbers(encoding.table)
    rows, width = encoding.table.shape
    clip = rows // 2
    buckets = shaw_buckets(Settings(length=2 * clip + 1, clip=clip, causal=stack.causal))
    lines = (("rows", words(rows)), ("width", words(width)), ("clipped at", f"{clip} on each side"))
    thing = None if values is None else vectors_of(values, buckets.numbers, stack.causal)
    note = "The vectors are added to keys only, and shared by heads and layers."
    return _told(stack, "shaw", thing, f"{stack.path}.table", lines, note)
