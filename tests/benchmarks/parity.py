"""Recorded weights against the library's eager ones, layer by layer, on tiny random networks of many architectures."""

from __future__ import annotations

import torch
import transformers

from tests.architectures import ARCHITECTURES, EAGER, Architecture
from tests.parity import PADDINGS, Parity, parity_of


def table() -> str:
    """The table as Markdown, one row an architecture."""
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    lines = [
        "| architecture | path | layers | largest difference, no padding | right | left | note |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_row(architecture, parity_of(architecture)) for architecture in ARCHITECTURES),
    ]
    return "\n".join(lines)


def _row(architecture: Architecture, parity: Parity) -> str:
    differences = (f"{parity.differences[padding]:.0e}" for padding in PADDINGS)
    layers = " + ".join(str(count) for count in parity.layers.values())
    truth = "" if architecture.truth == EAGER else f"compared with {architecture.truth}"
    note = "; ".join(part for part in (architecture.note, truth) if part)
    return "| " + " | ".join([architecture.title, parity.path, layers, *differences, note]) + " |"
