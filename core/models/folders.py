"""Local models that the browser may open: those below the roots that whoever runs the server named.

`below_roots` gives folders that open as they are, `source_below_roots` what `core.models.finding` looks into first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import HeadlightError
from core.models.intake import intake_root
from core.models.quoting import shown

DEEPEST = 3
MOST = 500
# What the files are called whose headers `core.models.finding` reads.
WEIGHTS = frozenset({".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt"})
_PART = re.compile(r"-\d{5}-of-\d{5}\.", re.ASCII)


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
    if (folder := _below(name, _is_model)) is not None:
        return folder
    raise HeadlightError(
        f"“{shown(name)}” is no model folder below the folders that this server opens: start it with HEADLIGHT_MODELS "
        "set to the folder that holds your models."
    )


def source_below_roots(name: str) -> Path:
    """A folder or weight file that a browser asks for, to be looked into, as a path or relative to a root.

    A folder counts if it, or one a little below it, holds weights or a config.json. Raises HeadlightError for all else
    with one sentence, as `below_roots` does.
    """
    if (source := _below(name, _is_source)) is not None:
        return source
    raise HeadlightError(
        f"“{shown(name)}” is no weight file and no folder with one below the folders that this server opens: start it "
        "with HEADLIGHT_MODELS set to the folder that holds your models."
    )


def folders_below_roots() -> tuple[str, ...]:
    """Names of the model folders below the roots, relative to their root, as `below_roots` takes them."""
    found = (folder.relative_to(root).as_posix() for root in roots() for folder in _models_in(root, DEEPEST))
    names = sorted({name for name, _ in zip(found, range(MOST), strict=False)})
    return tuple(name for name in names if _below(name, _is_model) is not None)


def sources_below_roots() -> tuple[str, ...]:
    """Names of what lacks a config.json below the roots, as `source_below_roots` takes them.

    These are folders with weights of their own, and weight files, those of folders with several included; the parts of
    a split file stand for nothing alone.
    """
    found = (path.relative_to(root).as_posix() for root in roots() for path in _sources_in(root, DEEPEST, top=True))
    names = sorted({name for name, _ in zip(found, range(MOST), strict=False)})
    return tuple(name for name in names if _below(name, _is_source) is not None)


def _below(name: str, accepts: Callable[[Path], bool]) -> Path | None:
    """What a name stands for, all links followed, if that lies below a root and is accepted."""
    allowed = roots()
    for root in allowed:
        try:
            path = (root / name).resolve()
            if any(_lies_below(path, other) for other in allowed) and accepts(path):
                return path
        except (OSError, ValueError, RuntimeError):  # a name no path can have, or links in a circle
            continue
    return None


def _is_model(path: Path) -> bool:
    return (path / "config.json").is_file()


def _is_source(path: Path) -> bool:
    if not path.is_dir():
        return path.is_file() and _is_weights(path)
    return _holds_model(path) or any(map(_holds_model, _folders_in(path)))


def _holds_model(folder: Path) -> bool:
    return _is_model(folder) or bool(_weights_in(folder))


def _models_in(folder: Path, depth: int) -> Iterator[Path]:
    for child in _folders_in(folder):
        if _is_model(child):
            yield child
        elif depth > 1:
            yield from _models_in(child, depth - 1)


def _sources_in(folder: Path, depth: int, top: bool) -> Iterator[Path]:
    """Folders without a config.json that hold weights, and single weight files. top: the folder is no source itself."""
    files = _weights_in(folder)
    single = [path for path in files if not _PART.search(path.name)]
    if files and not top:
        yield folder
    if top or len(single) > 1:
        yield from single
    for child in _folders_in(folder) if depth > 0 else ():
        if not _is_model(child):
            yield from _sources_in(child, depth - 1, top=False)


def _folders_in(folder: Path) -> list[Path]:
    return [child for child in _children(folder) if child.is_dir()]


def _children(folder: Path) -> list[Path]:
    """What lies in a folder, without what is hidden; nothing for one that cannot be read."""
    try:
        return sorted(child for child in folder.iterdir() if not child.name.startswith("."))
    except OSError:
        return []


def _weights_in(folder: Path) -> list[Path]:
    return [path for path in _children(folder) if _is_weights(path) and path.is_file()]


def _is_weights(path: Path) -> bool:
    return path.suffix.lower() in WEIGHTS


def _lies_below(folder: Path, root: Path) -> bool:
    return folder != root and folder.is_relative_to(root) and not _is_uploaded(folder)


def _is_uploaded(path: Path) -> bool:
    """Whether a path lies among the uploads, which belong to sessions: a root may hold them all."""
    return path.is_relative_to(intake_root().resolve())
