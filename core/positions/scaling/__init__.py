"""Rotary frequencies for texts longer than those of the training: one file a way, its formula as a pure function.

`SCALINGS` names them. Importing this package is cheap: torch is loaded when one is applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.errors import HeadlightError
from core.positions.scaling.linear import LINEAR, NONE
from core.positions.scaling.llama3 import LLAMA3
from core.positions.scaling.ntk import DYNAMIC, NTK
from core.positions.scaling.way import Scaling
from core.positions.scaling.yarn import YARN

__all__ = ["SCALINGS", "Scaling", "scaling_named"]

SCALINGS: Mapping[str, Scaling] = MappingProxyType(
    {scaling.name: scaling for scaling in (NONE, LINEAR, NTK, DYNAMIC, YARN, LLAMA3)}
)


def scaling_named(name: str) -> Scaling:
    """The scaling called `name`. Raises HeadlightError where there is none."""
    if name not in SCALINGS:
        raise HeadlightError(f"There is no scaling called {name}: choose one of {', '.join(SCALINGS)}.")
    return SCALINGS[name]
