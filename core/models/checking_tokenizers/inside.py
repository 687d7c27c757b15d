"""What runs in the box that reads texts: the `tokenizers` library and nothing of torch, so that it starts in a moment.

Only `core.jobs.boxed` calls these functions, with a tokenizer.json as text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import tokenizers

MOST_NBYTES_OF_PIECES = 8_000_000


@contextmanager
def _without(package: str) -> Iterator[None]:
    """Modules of a package, imported without the package itself: all of core.text needs torch, its readers do not."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is None:
        yield
        return
    stand_in = ModuleType(package)
    stand_in.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[package] = stand_in
    try:
        yield
    finally:
        del sys.modules[package]


with _without("core.text"):
    from core.text.fast import FastReader
    from core.text.panics import panics_caught


def described(argument: dict[str, Any]) -> dict[str, Any]:
    """What a reader says of itself; its pieces too, where they are few enough to be handed out."""
    with panics_caught():
        return _described(_reader(argument))


def read(argument: dict[str, Any]) -> dict[str, Any]:
    """The reading of a text or a pair, by the names of its columns."""
    with panics_caught():
        return asdict(_reader(argument).read(argument["text"], argument["pair"]))


def pieces(argument: dict[str, Any]) -> list[str]:
    """How ids are spelled."""
    with panics_caught():
        return _reader(argument).pieces_of(argument["ids"])


def spelled(argument: dict[str, Any]) -> list[str]:
    """What pieces add to a text, as hexadecimal digits."""
    with panics_caught():
        return [chunk.hex() for chunk in _reader(argument).bytes_of(argument["pieces"])]


def _reader(argument: dict[str, Any]) -> FastReader:
    return FastReader.fixed(tokenizers.Tokenizer.from_str(argument["specification"]))


def _described(reader: FastReader) -> dict[str, Any]:
    by_id = sorted((number, piece) for piece, number in reader.backend.get_vocab(with_added_tokens=True).items())
    few = len(json.dumps(by_id)) <= MOST_NBYTES_OF_PIECES
    return {
        "special_names": reader.special_names,
        "special_ids": sorted(reader.special_ids),
        "space_mark": reader.space_mark,
        "knows_words": reader.knows_words,
        "puts_space_first": reader.puts_space_first,
        "pieces": by_id if few else None,
    }
