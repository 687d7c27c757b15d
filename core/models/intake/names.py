"""Names that come from a browser or an archive: either plain ones, the same on every system, or refused."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from core.errors import HeadlightError
from core.models.intake.limits import STANDARD, Limits
from core.models.quoting import INVISIBLE, shown

# Controls, marks without a width or that turn the reading direction, halves of characters, ends of lines.
_UNSEEN_CATEGORIES = {"Cc": "a control character", "Cf": "an invisible mark", "Cs": "half a character"}
_UNSEEN_CATEGORIES |= {"Zl": "a line break", "Zp": "a line break"}
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³])\s*(\..*)?", re.IGNORECASE)


class RefusedName(HeadlightError):
    """A name or path that no file gets. why: follows it in a sentence: "holds a slash"."""

    def __init__(self, raw: str, why: str) -> None:
        super().__init__(f"“{shown(raw)}” is refused as a name, because it {why}: rename it and try again.")
        self.raw = raw
        self.why = why


def safe_name(raw: str, bounds: Limits = STANDARD) -> str:
    """One part of a path, normalised to NFC, as a file or folder may be called on any system.

    Raises HeadlightError for a name that leads elsewhere, that hides what it is, or that some system cannot keep.
    """
    # Composing takes the square of a name's length, and makes no name four times shorter.
    if len(raw) > 4 * bounds.name_length:
        raise RefusedName(raw, _too_long(raw, bounds))
    name = unicodedata.normalize("NFC", raw)
    if why := _why_refused(name, bounds):
        raise RefusedName(raw, why)
    return name


def safe_path(raw: str, bounds: Limits = STANDARD) -> PurePosixPath:
    """The path of a file inside a folder or an archive, relative to it; each part is a `safe_name`.

    Raises HeadlightError as `safe_name` does, and for an absolute path or one with too many parts.
    """
    if raw.startswith(("/", "\\")) or _DRIVE.match(raw):
        raise RefusedName(raw, "is an absolute path")
    if raw.count("/") >= bounds.depth:
        raise HeadlightError(
            f"“{shown(raw)}” lies in more than {bounds.depth - 1} folders: move it further up and try again."
        )
    return PurePosixPath(*(_safe_part(part, raw, bounds) for part in raw.split("/")))


def same_name(path: PurePosixPath) -> str:
    """What two paths share that some systems take for one: the path without the difference of capital letters."""
    return unicodedata.normalize("NFC", path.as_posix().casefold())


def _safe_part(part: str, raw: str, bounds: Limits) -> str:
    try:
        return safe_name(part, bounds)
    except RefusedName as error:
        raise RefusedName(raw, error.why) from error


def _why_refused(name: str, bounds: Limits) -> str | None:
    if not name:
        return "is empty"
    for char in name:
        if (category := unicodedata.category(char)) in _UNSEEN_CATEGORIES:
            return f"holds {_UNSEEN_CATEGORIES[category]}"
        if char in INVISIBLE:
            return "holds an invisible mark"
    if "/" in name or "\\" in name:
        return "holds a slash"
    if name in (".", ".."):
        return "leads to another folder"
    if _DRIVE.match(name):
        return "begins with the letter of a drive"
    if name.endswith(".") or name != name.rstrip():
        return "ends with a dot or a space"
    if _DEVICE.fullmatch(name):
        return "is the name of a device on Windows"
    return _too_long(name, bounds) if len(name.encode()) > bounds.name_length else None


def _too_long(name: str, bounds: Limits) -> str:
    return f"takes {len(name.encode('utf-8', 'surrogatepass')):,} bytes, and {bounds.name_length} is the most"
