"""Tokenizers for models that come without one, written as files that `load` opens like any other's.

`offered` says which may fit a model, `write_tokenizer` writes the one chosen, `try_on` shows what it makes of a text.
Files, and patterns that users write, are only read in a box.
"""

from core.models.tokenizing.choices import (
    SMILES,
    Bytes,
    Characters,
    FromCatalogue,
    FromFile,
    Offer,
    Pattern,
    Specials,
    Split,
    TokenizerChoice,
    Vocabulary,
    Whitespace,
)
from core.models.tokenizing.offering import offered
from core.models.tokenizing.writing import try_on, write_tokenizer

__all__ = [
    "SMILES",
    "Bytes",
    "Characters",
    "FromCatalogue",
    "FromFile",
    "Offer",
    "Pattern",
    "Specials",
    "Split",
    "TokenizerChoice",
    "Vocabulary",
    "Whitespace",
    "offered",
    "try_on",
    "write_tokenizer",
]
