"""What one run of a loaded model will keep, told and bounded before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import HeadlightError
from core.models.card import ModelCard
from core.models.estimate import Sizes, free_nbytes, layer_nbytes, recording_nbytes, run_seconds


@dataclass(frozen=True)
class Cost:
    """What a run will take: bytes it keeps while it is looked at, and seconds on the model's device, about."""

    nbytes: int
    seconds: float


def run_nbytes(card: ModelCard, itemsize: int, tokens: int, decoder_tokens: int = 0) -> int:
    """Memory of a run: queries and keys of all layers, and the weights of the largest layer while it is looked at.

    itemsize: bytes of a number in the model's format; decoder_tokens: of an encoder-decoder's decoder.
    """
    lengths = {"encoder": (tokens, tokens), "decoder": (decoder_tokens,) * 2, "cross": (decoder_tokens, tokens)}
    kept, shown = 0, 0
    for stream in card.streams:
        sizes = _sizes(card, stream)
        queries, keys = lengths.get(stream, (tokens, tokens))
        # Where the queries and keys cannot be had, the weights themselves are kept.
        kept += recording_nbytes(sizes, queries, keys, itemsize)
        kept += 0 if sizes.width else sizes.layers * layer_nbytes(sizes, queries, keys)
        shown = max(shown, layer_nbytes(sizes, queries, keys))
    return kept + 2 * shown


def cost_of(
    card: ModelCard, parameters: int, itemsize: int, pace: tuple[int, float], tokens: int, decoder_tokens: int = 0
) -> Cost:
    """The cost of one pass. pace: tokens and seconds of a pass that was timed on the same device."""
    seconds = run_seconds(parameters, _sizes(card, card.streams[0]), max(tokens, decoder_tokens), pace)
    return Cost(run_nbytes(card, itemsize, tokens, decoder_tokens), seconds)


def require_room(card: ModelCard, itemsize: int, device: str, tokens: int, decoder_tokens: int = 0) -> None:
    """Raise HeadlightError when a run would not fit, with the number of tokens that would."""
    free = free_nbytes(device)
    needed = run_nbytes(card, itemsize, tokens, decoder_tokens)
    if free is None or needed <= free:
        return
    fitting = _most_tokens(card, itemsize, free, tokens, decoder_tokens)
    raise HeadlightError(
        f"{card.name} would need {needed / 1e9:,.1f} GB for {tokens:,} tokens and {free / 1e9:,.1f} GB are free: "
        f"shorten the text to about {fitting:,} tokens."
    )


def _sizes(card: ModelCard, stream: str) -> Sizes:
    return Sizes(card.layers[stream], card.heads[stream], card.key_value_heads[stream], card.widths[stream])


def _most_tokens(card: ModelCard, itemsize: int, free: int, tokens: int, decoder_tokens: int) -> int:
    low, high = 0, tokens
    while high - low > 1:
        middle = (low + high) // 2
        fits = run_nbytes(card, itemsize, middle, decoder_tokens) <= free
        low, high = (middle, high) if fits else (low, middle)
    return low
