"""Which coordinates of a head a family turns together: neighbours, or the halves of what is turned.

Asked of the function that the family turns with; only those that multiply complex numbers have no such function.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import nn

INTERLEAVED, HALVES = "interleaved", "half-split"
_COMPLEX = {"llama4", "llama4_text", "deepseek_v2", "roformer"}


def layout_of(rotary: nn.Module, config: Any) -> str:
    """One of `core.positions.settings.LAYOUTS`."""
    family = sys.modules.get(type(rotary).__module__)
    if hasattr(family, "apply_rotary_pos_emb_interleave"):
        return INTERLEAVED if getattr(config, "rope_interleave", True) else HALVES
    turn = getattr(family, "rotate_every_two", None) or getattr(family, "rotate_half", None)
    if turn is None:
        return INTERLEAVED if getattr(config, "model_type", "") in _COMPLEX else HALVES
    # A quarter turn puts minus its partner at each pair's first coordinate.
    turned = turn(torch.arange(4.0).reshape(1, 1, 1, 4))
    return INTERLEAVED if float(turned.flatten()[0]) == -1 else HALVES
