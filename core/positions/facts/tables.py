"""Tables with a row for each position, added to the embeddings: learned ones, and sinusoids that a model holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn

from core.positions.facts.fact import Fact
from core.positions.facts.reading import ABSENT, modules_of_text, numbers, stack_of, trained_length, words
from core.positions.facts.sinusoids import APART, is_sinusoidal, sinusoids_of
from core.positions.objects import Table

# As families call it: BERT, CLIP, GPT-2, BART, the first GPT.
_NAME = re.compile(r"(^|\.)(position_embeddings?|wpe|embed_positions|positions_embed|pos_embeddings?)$")
# A table that is no module of its own: CTRL's.
_BUFFER = "pos_encoding"


def read(network: nn.Module) -> list[Fact]:
    """A fact for each table."""
    return [_fact(network, source, module, held) for source, module, held in _tables(network)]


def _tables(network: nn.Module) -> Iterator[tuple[str, nn.Module, Any]]:
    for path, module in modules_of_text(network):
        names = ("weight", "weights") if _NAME.search(path) and not turns(module) else (_BUFFER,)
        for name in names:
            held = getattr(module, name, None)
            if getattr(held, "ndim", 0) == 2:
                yield f"{path}.{name}".removeprefix("."), module, held


def turns(module: nn.Module) -> bool:
    """Whether a table is not added: RoFormer's has the sines and cosines by which it turns queries and keys."""
    return type(module).__name__.startswith("RoFormer")


def first_row(module: nn.Module) -> int:
    """The row that a text's first position reads; rows before it are for padding, or for nothing.

    fairseq counted positions from the padding token's number on, and models that came from it still do.
    """
    padding = getattr(module, "padding_idx", None)
    counts_from_padding = isinstance(module, nn.Embedding) or hasattr(module, "create_position_ids_from_input_ids")
    if padding is not None and counts_from_padding:
        return int(padding) + 1
    return int(getattr(module, "offset", 0))


def _fact(network: nn.Module, source: str, module: nn.Module, held: Any) -> Fact:
    start, rows, width = first_row(module), int(held.shape[0]), int(held.shape[1])
    values = numbers(held)
    values = values[start:] if values is not None and rows > start else None
    sinusoidal = "Sinus" in type(module).__name__ if values is None else is_sinusoidal(values)
    form = sinusoids_of(values, start) if sinusoidal and values is not None else None
    lines = [("rows", words(rows)), ("positions", words(rows - start)), ("width", words(width))]
    if start:
        lines.insert(1, ("first row used", words(start)))
    if form is not None:
        lines.append(("order", form[1]))
    told = trained_length(getattr(network, "config", None)) or rows
    return Fact(
        scheme="sinusoidal" if sinusoidal else "learned",
        stack=stack_of(source, network),
        layers=None,
        thing=None if values is None else _table(values, sinusoidal, form),
        source=source,
        lines=tuple(lines),
        notes=tuple(_notes(sinusoidal, start, values)),
        trained=min(rows - start, told),
    )


def _table(values: Tensor, sinusoidal: bool, form: tuple[Tensor, str] | None) -> Table:
    if form is None:
        return Table(values, learned=not sinusoidal)
    return Table(values, learned=False, frequencies=form[0], halves=form[1] == APART)


def _notes(sinusoidal: bool, start: int, values: Tensor | None) -> Iterator[str]:
    if start:
        before = {1: "Row 0 is", 2: "Rows 0 and 1 are"}.get(start, f"Rows 0 to {start - 1} are")
        yield f"{before} for no position: the first one reads row {start}, as fairseq counts them."
    if values is None:
        yield ABSENT
    elif sinusoidal:
        yield "The table is a formula's and was not trained, though it lies among the weights."
    else:
        yield f"There is no row after that of position {len(values) - 1:,}: a longer text cannot be read."
