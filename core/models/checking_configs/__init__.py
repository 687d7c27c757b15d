"""A config.json that is not trusted: bounded JSON, sizes in range, no code of its own, its network sketched in a box.

`checked_config` reads and checks it by ourselves; `sketched` then has the network built where it can do no harm.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.models.checking_configs.checked import check_generation, checked_config, remarks_on
    from core.models.checking_configs.sketching import Sketch, sketched

__all__ = ["Sketch", "check_generation", "checked_config", "remarks_on", "sketched"]


def __getattr__(name: str) -> Any:
    """Imported when asked for: boxes that only read JSON must not wait for torch, which these need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "checked" if name in ("check_generation", "checked_config", "remarks_on") else "sketching"
    return getattr(import_module(f"{__name__}.{home}"), name)
