"""What an attacker puts into a pickle: reading it carelessly makes a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Evil:
    """Unpickled, it makes the folder `trace`."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)
