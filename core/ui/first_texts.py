"""Texts that models of this session can read, where the pages' own first example would be unknown to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.ui.examples import EXAMPLES, FROM_CHINESE

if TYPE_CHECKING:
    from torch import Tensor

    from core.models.model import Model

# Of a text's tokens, the share that a model must know.
MOSTLY = 0.7
MOST_KEPT = 50
# Of a vocabulary: the entries that are looked at, and the tokens that a text is made of.
MOST_LOOKED_AT, MOST_TOKENS = 2_000, 16
_KEPT = "first_texts"


def keep(model: str, text: str) -> None:
    """Let every page that opens with this model by its name open with this text; "" for the page's own."""
    kept: dict[str, str] = {name: each for name, each in st.session_state.get(_KEPT, {}).items() if name != model}
    st.session_state[_KEPT] = dict([*kept.items(), *([(model, text)] if text else [])][-MOST_KEPT:])


def text_of(model: str) -> str:
    """What was kept for a model; "" where the page's own first example serves."""
    return str(st.session_state.get(_KEPT, {}).get(model, ""))


def readable(model: Model, tried: str | None = None) -> str:
    """A text that a model mostly knows: what somebody tried, an example, or tokens of its own in a row.

    tried: what its tokenizer was tried on. "" where the first example of every page serves, or nothing does.
    """
    if tried and tried.strip() and known_share(model, tried) > 0:
        return tried
    first, *chinese = EXAMPLES[0].text, *(each.text for each in EXAMPLES if each.models == FROM_CHINESE)
    best, most = "", known_share(model, first)
    # The longest shows most, and a short one may do where it does not.
    for text in (*sorted(chinese, key=len, reverse=True), *_made(model)):
        if most >= MOSTLY:
            break
        if (share := known_share(model, text)) > most:
            best, most = text, share
    return best


def known_share(model: Model, text: str) -> float:
    """Share of the tokens of a text that a model knows, 0 to 1; 0 where it cannot read it."""
    try:
        tokens = model.encode(text)
    except HeadlightError:
        return 0.0
    return 0.0 if all(tokens.special) else 1 - tokens.unknown_share


def _made(model: Model) -> Iterator[str]:
    """The first of a model's own tokens that can be read, side by side and with spaces between them."""
    tokens = list(_readable_tokens(model))[:MOST_TOKENS]
    if tokens:
        yield "".join(tokens)
        yield " ".join(tokens)


def _readable_tokens(model: Model) -> Iterator[str]:
    from core.models.first_text import own_pieces

    weights: Tensor = model.network.get_input_embeddings().weight  # type: ignore[assignment]  # (V, D)
    looked_at = min(len(weights), MOST_LOOKED_AT)
    return (piece for piece in own_pieces(model.encoder, looked_at) if piece.isalnum())
