"""What was chosen for a model in a few words: they tell apart two that were opened from the same files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from core.models.quoting import shown

if TYPE_CHECKING:
    from core.models.preparing import Choices
    from core.models.tokenizing import TokenizerChoice
    from core.models.tokenizing.choices import Vocabulary


def chosen_words(choices: Choices) -> str:
    """Heads, tokenizer and base as they were chosen: "4 heads, chosen · characters of meta.pkl"; "" without any."""
    return " · ".join(_parts(choices))


def _parts(choices: Choices) -> Iterator[str]:
    yield from choices.assumed
    if choices.tokenizer is not None:
        yield _tokenizer(choices.tokenizer)
    if choices.base is not None:
        yield f"on {shown(choices.base.name if isinstance(choices.base, Path) else choices.base)}"


def _tokenizer(choice: TokenizerChoice) -> str:
    from core.models.tokenizing import Bytes, Characters, FromCatalogue, FromFile, Pattern, Whitespace

    match choice:
        case FromCatalogue():
            return f"tokenizer of {shown(choice.name)}"
        case FromFile():
            return f"tokenizer {shown(choice.path.name)}"
        case Bytes():
            return "bytes"
        case Characters():
            return f"characters {_source(choice.vocabulary)}"
        case Whitespace():
            return f"words {_source(choice.vocabulary)}"
        case Pattern():
            return f"an expression and tokens {_source(choice.vocabulary)}"


def _source(vocabulary: Vocabulary) -> str:
    return f"of {shown(vocabulary.name)}" if isinstance(vocabulary, Path) else "that were typed"
