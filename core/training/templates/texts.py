"""Templated lines of text by name, for a language model to read beside its corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.training.templates import english


@dataclass(frozen=True)
class Texts:
    """lines: writes all of them, each once, the same at every call. about: what they are, for a card."""

    lines: Callable[[], list[str]]
    about: str


TEXTS: dict[str, Texts] = {"english": Texts(english.lines, english.ABOUT)}
