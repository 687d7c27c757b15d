"""Reading data files, plain or gzipped UTF-8 text, one example a line; bad lines are skipped and named by number."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from core.errors import HeadlightError

Example = TypeVar("Example")
NUL = b"\0"
# UTF-16 has one in every other byte of Latin text and at each space of other scripts; text in UTF-8 has hardly any.
MOST_NULS = 0.05
# Names of the two classes where a folder's files are what labels them.
NEGATIVE, POSITIVE = "negative", "positive"


@dataclass(frozen=True)
class BadLine:
    """A line that was skipped: where it stands, counted from 1, and what is wrong with it."""

    file: str
    number: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.number}: {self.reason}; skipped"


@dataclass(frozen=True)
class Corpus(Generic[Example]):
    """The examples of one or more files, in order, and the lines that were skipped."""

    examples: tuple[Example, ...]
    bad: tuple[BadLine, ...]


class _Bad(Exception):
    """Why a line is no example."""


def read_pairs(path: Path) -> Corpus[tuple[str, str]]:
    """Source and target, separated by a tab, one pair a line; further columns are left alone."""
    return _read(path, _pair)


def read_lines(path: Path, column: int = 0) -> Corpus[str]:
    """One text a line, of a file, or of all files of a folder in the order of their names.

    column: which of the columns that tabs part, counted from 1; 0 takes whole lines. A line without tabs is its own
    first column. Empty lines only separate and are no mistake.
    """
    parse = _column(column) if column else _text
    return _joined([_read(file, parse) for file in (_files_of(path) if path.is_dir() else [path])])


def read_labelled(path: Path) -> Corpus[tuple[str, str]]:
    """(label, text) pairs: a file of label, tab, text; or a folder whose file or folder names hold "neg" and "pos"."""
    if not path.is_dir():
        return _read(path, _labelled)
    parts = [
        _read(file, _always(label))
        for label, mark in ((NEGATIVE, "neg"), (POSITIVE, "pos"))
        for file in _marked(path, mark)
    ]
    return _joined(parts)


def digest_of(path: Path) -> str:
    """SHA-256 of a file as it lies there, or of a folder's files and their names; where it lies does not matter."""
    if not path.is_dir():
        return hashlib.sha256(_bytes_of(path)).hexdigest()
    whole = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        whole.update(f"{file.relative_to(path).as_posix()}\0{digest_of(file)}\n".encode())
    return whole.hexdigest()


def split(examples: Sequence[Example], key: Callable[[Example], str], *shares: float) -> tuple[list[Example], ...]:
    """The examples to train on, then one list for each share; all examples of one key go to the same list.

    The list follows from the key's text alone, so that it stays the same when lines are added or reordered.
    shares: about how much of the keys goes to each of the further lists, in all below 1.
    """
    parts: tuple[list[Example], ...] = tuple([] for _ in range(len(shares) + 1))
    bounds = [sum(shares[: place + 1]) for place in range(len(shares))]
    for example in examples:
        fraction = _fraction(key(example))
        parts[next((place + 1 for place, bound in enumerate(bounds) if fraction < bound), 0)].append(example)
    return parts


def _fraction(text: str) -> float:
    """A number in [0, 1) that follows from a text alone."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def _pair(line: str) -> tuple[str, str]:
    parts = [part.strip() for part in line.split("\t")]
    if len(parts) < 2:
        raise _Bad("no tab between source and target")
    if not parts[0] or not parts[1]:
        raise _Bad("an empty side")
    return parts[0], parts[1]


def _labelled(line: str) -> tuple[str, str]:
    label, tab, text = line.partition("\t")
    if not tab:
        raise _Bad("no tab between label and text")
    if not label.strip() or not text.strip():
        raise _Bad("an empty label or text")
    return label.strip(), text.strip()


def _always(label: str) -> Callable[[str], tuple[str, str]]:
    return lambda line: (label, line.strip())


def _text(line: str) -> str:
    return line.strip()


def _column(number: int) -> Callable[[str], str]:
    def parse(line: str) -> str:
        columns = line.split("\t")
        if len(columns) < number or not (text := columns[number - 1].strip()):
            raise _Bad(f"nothing in column {number}")
        return text

    return parse


def _joined(parts: Sequence[Corpus[Example]]) -> Corpus[Example]:
    """Several corpora as one, in their order."""
    return Corpus(
        tuple(example for part in parts for example in part.examples), tuple(bad for part in parts for bad in part.bad)
    )


def _files_of(folder: Path) -> list[Path]:
    """The files right in a folder, by name, hidden ones left out."""
    files = [entry for entry in sorted(folder.iterdir()) if entry.is_file() and not entry.name.startswith(".")]
    if not files:
        raise HeadlightError(f"{folder} holds no file: give --data a file, or a folder with text files.")
    return files


def _read(path: Path, parse: Callable[[str], Example]) -> Corpus[Example]:
    examples, bad = [], []
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        if NUL in line:
            bad.append(BadLine(path.name, number, "a NUL character"))
            continue
        try:
            examples.append(parse(line.decode()))
        except UnicodeDecodeError:
            bad.append(BadLine(path.name, number, "not UTF-8"))
        except _Bad as error:
            bad.append(BadLine(path.name, number, str(error)))
    return Corpus(tuple(examples), tuple(bad))


def _lines(path: Path) -> list[bytes]:
    """The lines of a text file, not decoded yet. Raises HeadlightError for what is no UTF-8 text as a whole."""
    raw = _bytes_of(path)
    try:
        data = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise HeadlightError(f"{path} is cut off or no gzip file: get it again.") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or data.count(NUL) > MOST_NULS * len(data):
        raise HeadlightError(f"{path} is not UTF-8 but UTF-16, or no text at all: save it as UTF-8.")
    return data.removeprefix(codecs.BOM_UTF8).splitlines()


def _bytes_of(path: Path) -> bytes:
    if path.is_dir():
        raise HeadlightError(f"{path} is a folder: give --data the file itself.")
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise HeadlightError(f"There is no file {path}: check --data.") from error
    except PermissionError as error:
        raise HeadlightError(f"{path} may not be read: change its permissions, or copy it.") from error
    except OSError as error:
        raise HeadlightError(f"{path} cannot be read ({error.strerror}): check --data.") from error


def _marked(folder: Path, mark: str) -> list[Path]:
    """The files of one label: those with the mark in their own name, or all in a folder that has it."""
    named = [entry for entry in sorted(folder.iterdir()) if mark in entry.name.lower()]
    files = [file for entry in named for file in (sorted(entry.iterdir()) if entry.is_dir() else [entry])]
    if not files:
        raise HeadlightError(
            f"{folder} has no file or folder with “{mark}” in its name: one each for neg and pos is needed."
        )
    return files
