"""Texts of data files as ids, read as an opened checkpoint reads what a user types."""

from __future__ import annotations

from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

from core.text.fast import FastReader


def ids_of(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], longest: int | None = None, *, special: bool = True
) -> list[list[int]]:
    """The ids of each text. A special token that is typed in one, such as "</s>", is plain text, as in `core.text`.

    longest: tokens that are kept of a text, special ones included; None keeps all. special: whether the tokenizer's
    own special tokens are put around a text.
    """
    if not texts:
        return []
    if not tokenizer.is_fast:
        kept = {"truncation": True, "max_length": longest} if longest is not None else {}
        rows = tokenizer(list(texts), add_special_tokens=special, split_special_tokens=True, **kept)
        return [list(row) for row in rows.input_ids]
    backend = FastReader.fixed(tokenizer.backend_tokenizer).backend
    if longest is not None:
        backend.enable_truncation(longest)
    return [encoding.ids for encoding in backend.encode_batch(list(texts), add_special_tokens=special)]
