"""What an upload may be at most, so that one browser cannot fill the server's disk or keep it busy."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from core.errors import HeadlightError

VARIABLE = "HEADLIGHT_UPLOAD_MB"
_WHOLE_NUMBER = re.compile(r"[0-9]{1,7}")


@dataclass(frozen=True)
class Limits:
    """Bounds of one upload, which an archive is held to while it is unpacked.

    nbytes: of all files together. entries: files and folders. depth: parts of a path, the file's own name included.
    name_length: bytes of one name in UTF-8. ratio: unpacked bytes for each byte of an archive.
    """

    nbytes: int = 2_048_000_000
    entries: int = 2_000
    depth: int = 8
    name_length: int = 255
    ratio: int = 100


STANDARD = Limits()


def limits() -> Limits:
    """The bounds of this server: those of `Limits`, with HEADLIGHT_UPLOAD_MB megabytes where that is set.

    Raises HeadlightError where the variable is no whole number from 1 to 9,999,999.
    """
    written = os.environ.get(VARIABLE, "").strip()
    if not written:
        return STANDARD
    if not _WHOLE_NUMBER.fullmatch(written) or int(written) == 0:
        raise HeadlightError(
            f"{VARIABLE} must be a whole number of megabytes from 1 to 9,999,999: correct it and start Headlight again."
        )
    return Limits(nbytes=int(written) * 1_000_000)


def in_words(bounds: Limits) -> str:
    """The bounds in one sentence for those who upload."""
    return (
        f"An upload may hold {megabytes(bounds.nbytes)} in {bounds.entries:,} files and folders, nested "
        f"{bounds.depth} deep, with names of up to {bounds.name_length} bytes; an archive may unpack to "
        f"{bounds.ratio} times its size."
    )


def megabytes(nbytes: int) -> str:
    """A count of bytes as it is shown: "2,048 MB"."""
    return f"{nbytes / 1e6:,.0f} MB"
