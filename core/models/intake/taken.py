"""Which names of an upload are taken: two that differ in capital letters alone are one on some systems."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from core.errors import HeadlightError
from core.models.intake.limits import Limits
from core.models.intake.names import same_name
from core.models.quoting import shown

# The path as it came first and whether it is a file, for each `same_name`.
Taken = dict[str, tuple[PurePosixPath, bool]]


def with_files(taken: Taken, places: Iterable[PurePosixPath], bounds: Limits) -> Taken:
    """What these files and their folders take besides: only the names that are new.

    Raises HeadlightError where two files share a name, a file has the name of a folder, or a folder comes in two
    spellings, and for more files and folders than the bounds allow.
    """
    new: Taken = {}
    for place in places:
        folders = [folder for folder in place.parents if folder.name]
        for path, is_file in [(place, True), *((folder, False) for folder in folders)]:
            key = same_name(path)
            known = new.get(key) or taken.get(key)
            if known is not None and (is_file or known != (path, False)):
                raise _clash(path, known[0])
            new.setdefault(key, (path, is_file))
        if len(taken) + len(new.keys() - taken.keys()) > bounds.entries:
            raise HeadlightError(
                f"This upload has more than {bounds.entries:,} files and folders: leave out what the model does not "
                "need."
            )
    return new


def _clash(path: PurePosixPath, known: PurePosixPath) -> HeadlightError:
    both = f"“{shown(path.as_posix())}” and “{shown(known.as_posix())}” are one name on some systems"
    again = f"“{shown(path.as_posix())}” comes twice"
    return HeadlightError(f"{again if path == known else both}: keep one of them and try again.")
