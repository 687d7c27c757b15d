"""What may be wrong with a model from which nothing is missing: a tokenizer that gives ids it cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import HeadlightError

# The table that ids are looked up in, as families call it.
_EMBEDDINGS = re.compile(
    r"(^|\.)(embedding|word_embeddings?|wte|embed_tokens|shared|embeddings\.tok_embeddings|tok_embeddings|embed_in)\.weight$"
)
MOST_NBYTES, DEEPEST = 16_000_000, 32
JSON, LINES = "tokenizer.json", "vocab.txt"


def doubts_about(tensors: Mapping[str, tuple[int, ...]], tokenizer: Path | None) -> tuple[str, ...]:
    """Sentences about a model with these tensors and the tokenizer in a folder; () where nothing speaks against it."""
    rows = max((shape[0] for name, shape in tensors.items() if _EMBEDDINGS.search(name) and len(shape) == 2), default=0)
    size = _size_of(tokenizer) if tokenizer is not None and rows else 0
    if size <= rows:
        return ()
    return (
        f"The tokenizer beside it gives {size:,} different ids and the model has {rows:,} embeddings, so the two may "
        "not belong together and some texts cannot be read: use another tokenizer, the one that it was trained with.",
    )


def _size_of(folder: Path) -> int:
    """The highest id that a tokenizer gives, and one more; 0 where its files do not tell it at once."""
    from core.models.checking_configs.json_files import object_in

    try:
        if (folder / JSON).is_file():
            return max(_ids_in(object_in(folder / JSON, MOST_NBYTES, DEEPEST)), default=-1) + 1
        lines = folder / LINES
        return lines.read_bytes().strip().count(b"\n") + 1 if 0 < lines.stat().st_size <= MOST_NBYTES else 0
    except (OSError, HeadlightError):  # whoever opens it says why
        return 0


def _ids_in(specification: Mapping[str, Any]) -> Iterator[int]:
    model, added = specification.get("model"), specification.get("added_tokens")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        yield from (number for number in vocabulary.values() if type(number) is int)
    elif isinstance(vocabulary, list):
        yield len(vocabulary) - 1
    for token in added if isinstance(added, list) else ():
        if isinstance(token, dict) and type(token.get("id")) is int:
            yield token["id"]
