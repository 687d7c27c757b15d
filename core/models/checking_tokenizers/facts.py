"""Whether a tokenizer may be opened here: opened in a box first, with limits, and tried on texts that hurt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.boxed import BOX_PREFIX, Unboxed, boxed
from core.models.checking_tokenizers.bounds import OPENING_NBYTES, OPENING_SECONDS
from core.models.checking_tokenizers.boxed_reader import BoxedReader
from core.models.checking_tokenizers.files import require_tokenizer
from core.text import TextEncoder

_OPENED = "core.models.checking_tokenizers.inside_opening:opened"
_SOURCE, _TARGET = "source.json", "target.json"
_WRITTEN_NBYTES = 512 << 20


@dataclass(frozen=True)
class TokenizerFacts:
    """What a tokenizer is, as transformers opened it in a box.

    size         its pieces, added tokens included
    highest_id   -1 where it has no piece
    duplicates   how many pieces have the id of another one
    missing      how many ids below the highest belong to no piece
    seconds      of the processor that it took to open and to read the trial texts
    patterns     its regular expressions of which nobody knows how long they take
    suspicions   why texts must be read in a box, as the ends of sentences; none for most
    """

    size: int
    highest_id: int
    duplicates: int
    missing: int
    seconds: float
    patterns: tuple[str, ...] = ()
    suspicions: tuple[str, ...] = ()

    @property
    def kept_out(self) -> bool:
        """Whether texts must be read in a box."""
        return bool(self.suspicions)


def check_tokenizer(folder: Path, job: Job | None = None) -> TokenizerFacts:
    """Open the tokenizer of a folder in a box and try it. Raises HeadlightError, one sentence, for one not to use."""
    told = _told(folder, None, job)
    return TokenizerFacts(
        size=int(told["size"]),
        highest_id=int(told["highest_id"]),
        duplicates=int(told["duplicates"]),
        missing=int(told["missing"]),
        seconds=float(told["seconds"]),
        patterns=tuple(map(str, told["patterns"])),
        suspicions=tuple(map(str, told["suspicions"])),
    )


def reader_kept_out(folder: Path) -> bool:
    """Whether texts must be read in a box with the tokenizer of a folder; asks a box, as `check_tokenizer` does."""
    return check_tokenizer(folder).kept_out


def hostile_patterns(folder: Path) -> tuple[str, ...]:
    """The regular expressions of a folder's tokenizer of which nobody knows how long they take; asks a box."""
    return check_tokenizer(folder).patterns


def boxed_encoder_of(folder: Path, max_length: int, job: Job | None = None) -> TextEncoder:
    """The encoder of a folder's tokenizer that reads each text in a box.

    max_length: how many tokens the model reads; fewer where its tokenizer says so.
    Raises HeadlightError, one sentence, also for tokenizers written in Python, which need none.
    """
    with TemporaryDirectory(prefix=BOX_PREFIX, ignore_cleanup_errors=True) as place:
        told = _told(folder, Path(place), job)
        source, target = (_reader(Path(place) / name) for name in (_SOURCE, _TARGET))
    if source is None:
        raise HeadlightError("A tokenizer written in Python is not read in a box: save it as a tokenizer.json.")
    limit = min(max_length, int(told["max_length"]))
    return TextEncoder(source, told["unknown_id"], limit, told["end_id"], target, told["mask_id"])


def _reader(path: Path) -> BoxedReader | None:
    return BoxedReader.opened(path.read_text(encoding="utf-8")) if path.is_file() else None


def _told(folder: Path, keep: Path | None, job: Job | None) -> Any:
    require_tokenizer(folder)
    try:
        return boxed(
            _OPENED,
            {"folder": str(folder.resolve()), "keep": keep is not None},
            seconds=OPENING_SECONDS,
            nbytes=OPENING_NBYTES,
            folder=keep,
            written_nbytes=0 if keep is None else _WRITTEN_NBYTES,
            job=job,
        )
    except Unboxed as error:
        raise HeadlightError(_why(error)) from error


def _why(error: Unboxed) -> str:
    if error.reason in ("error", "crash", "exit"):
        return (
            "The tokenizer cannot be opened, because its files are damaged or contradict one another: get them again."
        )
    return f"Opening the tokenizer and trying it on some texts {error.why}, so it is not used: get its files again."
