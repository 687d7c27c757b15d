"""Which ids a network reads: those that it has an embedding for, and the one that its decoder reads first."""

from __future__ import annotations

from typing import Any

from core.errors import HeadlightError
from core.text import Tokens


def require_embeddings(tokens: Tokens, network: Any, name: str) -> None:
    """Raise HeadlightError where a token's id lies beyond the network's embeddings. name: what the model is called."""
    rows = network.get_input_embeddings().weight.shape[0]
    strange = [label for label, number in zip(tokens.labels, tokens.ids, strict=True) if number >= rows]
    if strange:
        raise HeadlightError(
            f"{name} has no embedding for the token “{strange[0]}” of its tokenizer, so the two do not belong "
            "together: open it with the tokenizer that it was trained with, or choose another text."
        )


def start_id(network: Any, name: str) -> int:
    """The id that its settings tell for an encoder-decoder's decoder. Raises HeadlightError where none does."""
    for config in (getattr(network, "generation_config", None), network.config):
        for setting in ("decoder_start_token_id", "bos_token_id"):
            if (start := getattr(config, setting, None)) is not None:
                return int(start)
    raise HeadlightError(f"{name} does not say which token its decoder starts with: check its config.json.")
