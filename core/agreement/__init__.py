"""Agreement: how far methods order words alike, what of it is chance or algebra, and whether the words matter."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.agreement.chance import chance_sd, critical_tau
    from core.agreement.control import Control
    from core.agreement.diagnosis import Diagnosis
    from core.agreement.erasure_curves import Erasure
    from core.agreement.heads import HeadAgreement, head_map
    from core.agreement.pairs import Matrix, matrix
    from core.agreement.plain import baselines
    from core.agreement.ranks import Agreement, agreement

# `control`, `diagnosis`, `erasure` and `sanity` are called as their modules are, and are imported from there.
_HOMES = {
    "Agreement": "ranks",
    "Control": "control",
    "Diagnosis": "diagnosis",
    "Erasure": "erasure_curves",
    "HeadAgreement": "heads",
    "Matrix": "pairs",
    "agreement": "ranks",
    "baselines": "plain",
    "chance_sd": "chance",
    "critical_tau": "chance",
    "head_map": "heads",
    "matrix": "pairs",
}

__all__ = [
    "Agreement", "Control", "Diagnosis", "Erasure", "HeadAgreement", "Matrix", "agreement", "baselines", "chance_sd",
    "critical_tau", "head_map", "matrix",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"core.agreement.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
