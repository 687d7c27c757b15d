"""Local model folders that the browser may open: those below the roots that whoever runs the server named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from core.errors import HeadlightError

DEEPEST = 3
MOST = 500


def roots() -> tuple[Path, ...]:
    """The folders named in HEADLIGHT_MODELS, with links in their paths followed; those that are not there left out."""
    named = os.environ.get("HEADLIGHT_MODELS", "").split(os.pathsep)
    paths = (Path(part).expanduser().resolve() for part in named if part.strip())
    return tuple(path for path in paths if path.is_dir())


def below_roots(name: str) -> Path:
    """The model folder that a browser asks for, as a path or relative to a root.

    Raises HeadlightError unless it lies below a root once all links are followed; the sentence is the same for a folder
    elsewhere and for none at all, so that nobody can feel their way through the server's disk.
    """
    allowed = roots()
    for root in allowed:
        try:
            folder = (root / name).resolve()
            if any(_lies_below(folder, other) for other in allowed) and (folder / "config.json").is_file():
                return folder
        except (OSError, ValueError, RuntimeError):  # a name no path can have, or links in a circle
            continue
    raise HeadlightError(
        f"{name[:200]} is no model folder below the folders that this server opens: start it with HEADLIGHT_MODELS set "
        "to the folder that holds your models."
    )


def folders_below_roots() -> tuple[str, ...]:
    """Names of the model folders below the roots, relative to their root, as `below_roots` takes them."""
    found = (folder.relative_to(root).as_posix() for root in roots() for folder in _models_in(root, DEEPEST))
    names = sorted({name for name, _ in zip(found, range(MOST), strict=False)})
    return tuple(name for name in names if _opens(name))


def _models_in(folder: Path, depth: int) -> Iterator[Path]:
    try:
        children = sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))
    except OSError:
        return
    for child in children:
        if (child / "config.json").is_file():
            yield child
        elif depth > 1:
            yield from _models_in(child, depth - 1)


def _opens(name: str) -> bool:
    try:
        below_roots(name)
    except HeadlightError:
        return False
    return True


def _lies_below(folder: Path, root: Path) -> bool:
    return folder != root and folder.is_relative_to(root)
