"""What the tokenizer's form asks of the library: what fits a model, and what a choice makes of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from core.errors import HeadlightError
from core.jobs.boxed import boxed
from core.models.tokenizing.asking import told
from core.models.tokenizing.catalogued import tokenizer_folder
from core.models.tokenizing.choices import FromCatalogue, TokenizerChoice
from core.models.tokenizing.writing import try_on
from core.ui.models.architecture.stated_config import stated_config

if TYPE_CHECKING:
    from core.jobs import Job
    from core.models.finding import Candidate

SECONDS, NBYTES = 5.0, 2 << 30
_TABLES = ("embed", "wte", "tokens.weight")


@dataclass(frozen=True)
class Piece:
    """A token as it is shown; id: its row of the table of embeddings, None where nobody told it."""

    text: str
    id: int | None = None


def rows_of(candidate: Candidate, config: Mapping[str, Any]) -> int:
    """Rows of the model's table of embeddings; 0 where neither a config nor a tensor tells."""
    said = config.get("vocab_size") or stated_config(candidate.config).get("vocab_size")
    if type(said) is int and said > 0:
        return said
    tables = (shape for name, shape in candidate.tensors.items() if len(shape) == 2 and any(t in name for t in _TABLES))
    return max((shape[0] for shape in tables), default=0)


def pieces_of(choice: TokenizerChoice, text: str, job: Job) -> tuple[Piece, ...]:
    """The tokens of a text with their ids. Raises HeadlightError for a choice that makes no tokenizer."""
    pieces = try_on(choice, text, job)
    return tuple(Piece(piece, at) for piece, at in zip(pieces, _ids(choice, pieces, job), strict=True))


def _ids(choice: TokenizerChoice, pieces: Sequence[str], job: Job) -> list[int | None]:
    """The id of each piece; None where it cannot be told in time."""
    if isinstance(choice, FromCatalogue):
        from core.models.opening.tokenizer_opening import open_tokenizer  # brings transformers along

        opened = open_tokenizer(tokenizer_folder(choice.name, job))
        return [cast(int, opened.convert_tokens_to_ids(piece)) for piece in pieces]
    try:
        argument = {"choice": told(choice), "pieces": list(pieces)}
        found = boxed("core.ui.models.tokenizer.ids_box:ids", argument, seconds=SECONDS, nbytes=NBYTES, job=job)
    except HeadlightError:
        found = []
    return [at if isinstance(at, int) else None for at in found] if len(found) == len(pieces) else [None] * len(pieces)
