"""How many versions of a text go through a model at once: as many as keep it busy and fit into memory."""

from __future__ import annotations

from core.models.estimate import free_nbytes
from core.models.known_ids import vocabulary_of
from core.models.model import Model

# Tokens of one batch, without and with a graph: more make a device no faster.
MOST_TOKENS = {"cpu": (4096, 2048), "cuda": (65536, 32768), "mps": (16384, 8192)}
# Of the free memory; the rest is left to others who use the same machine.
SHARE = 4
# Numbers of one token that a layer's graph keeps, in widths of the stream and in rows of weights of each head.
KEPT_WIDTHS, KEPT_ROWS = 24, 5
# Copies of the logits: as they are, in float32, after a softmax and its gradient.
LOGIT_COPIES = 4


def texts_at_once(model: Model, tokens: int, decoder_tokens: int, walked_back: bool) -> int:
    """Versions of a text of so many tokens, at least one.

    decoder_tokens: that an encoder-decoder says; walked_back: whether a graph is kept for a gradient.
    """
    longest = max(tokens, decoder_tokens, 1)
    kind = model.device.split(":")[0]
    by_tokens = MOST_TOKENS.get(kind, MOST_TOKENS["cpu"])[walked_back] // longest
    free = free_nbytes(model.device)
    if free is None:
        return max(1, by_tokens)
    return max(1, min(by_tokens, free // SHARE // text_nbytes(model, tokens, decoder_tokens, walked_back)))


def text_nbytes(model: Model, tokens: int, decoder_tokens: int, walked_back: bool) -> int:
    """About what one text takes while it runs: the states of all layers with a graph, of one without."""
    card, longest = model.card, max(tokens, decoder_tokens, 1)
    layers = sum(card.layers.values()) if walked_back else 1
    heads = max(card.heads.values(), default=1)
    width = heads * max(card.widths.values(), default=1)
    states = layers * longest * (KEPT_WIDTHS * width + KEPT_ROWS * heads * longest)
    vocabulary = vocabulary_of(model.network.config) if card.writes else 0
    logits = vocabulary * (decoder_tokens if card.answers else tokens)
    return max(1, states * model.dtype.itemsize + LOGIT_COPIES * 4 * logits)
