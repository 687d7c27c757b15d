"""Rotary frequencies as a loaded model holds them, and the layers that use them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from core.positions.facts.fact import Fact
from core.positions.facts.reading import ABSENT, modules_of_text, numbers, stack_of
from core.positions.facts.rotation import parameters_of, rotation_of, trained_before
from core.positions.facts.rotation_words import rotation_lines, rotation_notes
from core.positions.facts.tables import turns
from core.positions.facts.turned_layers import layers_of, layers_without
from core.positions.objects import Rotation

_HELD = "inv_freq"
# Sines, then cosines of the angles at each position: GPT-J, CodeGen.
_SINES = "embed_positions"


@dataclass(frozen=True, eq=False)
class _Held:
    """Frequencies (P,) that a module holds, None where they cannot be read.

    kind: of the layers that use them, where the config tells several kinds apart
    """

    path: str
    module: nn.Module
    source: str
    frequencies: Tensor | None
    kind: str | None = None


def read(network: nn.Module) -> list[Fact]:
    """A fact for each set of frequencies, and one for the layers that turn nothing."""
    if getattr(getattr(network, "config", None), "alibi", False):
        return []
    facts = _merged([_fact(network, held) for held in _all_held(network)])
    without = layers_without(network) if facts else ()
    return [*facts, _bare(without)] if without else facts


def _all_held(network: nn.Module) -> Iterator[_Held]:
    for path, module in modules_of_text(network):
        for name, values in module.named_buffers(recurse=False):
            source = f"{path}.{name}".removeprefix(".")
            if name == _SINES and values.ndim == 2:
                yield _Held(path, module, source, _from_sines(values))
            elif name == _HELD or (name.endswith(f"_{_HELD}") and not name.endswith(f"original_{_HELD}")):
                plain = numbers(values)
                kind = name.removesuffix(_HELD).removesuffix("_") or None
                yield _Held(path, module, source, None if plain is None else plain.double(), kind)
        if turns(module) and path.endswith(_SINES):
            yield _Held(path, module, f"{path}.weight", _from_sines(module.weight))


def _from_sines(table: Any) -> Tensor | None:
    """Radians a position, of a table (rows, 2P) of sines and cosines: float64 (P,)."""
    values = numbers(table)
    if values is None or len(values) < 2:
        return None
    sine, cosine = values[1].double().chunk(2)  # (P,) each
    return torch.atan2(sine, cosine)


def _fact(network: nn.Module, held: _Held) -> Fact:
    config = getattr(held.module, "config", None) or getattr(network, "config", None)
    parameters = parameters_of(config, held.kind)
    rotation = None
    if held.frequencies is not None and held.frequencies.ndim == 1:
        rotation = rotation_of(held.frequencies, held.module, config, held.kind)
    return Fact(
        scheme="rotary",
        stack=stack_of(held.path, network),
        layers=layers_of(network, held.path, held.kind),
        thing=rotation,
        source=held.source,
        lines=() if rotation is None else tuple(rotation_lines(rotation)),
        notes=(ABSENT,) if rotation is None else tuple(rotation_notes(rotation, config, parameters)),
        trained=trained_before(config, parameters),
    )


def _merged(facts: list[Fact]) -> list[Fact]:
    """One fact for the modules of several layers that hold the same frequencies."""
    kept: list[Fact] = []
    for fact in facts:
        same = next((place for place, other in enumerate(kept) if _same(fact, other)), None)
        if same is None:
            kept.append(fact)
            continue
        layers, more = kept[same].layers, fact.layers
        both = None if layers is None or more is None else tuple(sorted({*layers, *more}))
        kept[same] = replace(kept[same], layers=both)
    return kept


def _same(one: Fact, other: Fact) -> bool:
    alike = (one.stack, one.lines) == (other.stack, other.lines)
    if not (alike and isinstance(one.thing, Rotation) and isinstance(other.thing, Rotation)):
        return False
    return torch.equal(one.thing.frequencies, other.thing.frequencies)


def _bare(layers: tuple[int, ...]) -> Fact:
    return Fact(
        scheme="none",
        stack="self",
        layers=layers,
        thing=None,
        source="config",
        notes=("These layers turn nothing: of positions they know what the others wrote into the states.",),
    )
