"""Tokenizers that are not trusted: their files checked by ourselves, opened in a box, and read there if need be.

`check_tokenizer` says what a folder's tokenizer is or refuses it with one sentence. Where its facts say `kept_out`,
some text could make it hang: `boxed_encoder_of` gives an encoder that reads each text in a box.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.models.checking_tokenizers.boxed_reader import BoxedReader
    from core.models.checking_tokenizers.facts import (
        TokenizerFacts,
        boxed_encoder_of,
        check_tokenizer,
        hostile_patterns,
        reader_kept_out,
    )

__all__ = [
    "BoxedReader",
    "TokenizerFacts",
    "boxed_encoder_of",
    "check_tokenizer",
    "hostile_patterns",
    "reader_kept_out",
]


def __getattr__(name: str) -> Any:
    """Imported when asked for: a box that reads one text must not wait for torch, which these need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "boxed_reader" if name == "BoxedReader" else "facts"
    return getattr(import_module(f"{__name__}.{home}"), name)
