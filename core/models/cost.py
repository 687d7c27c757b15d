"""What one run of a loaded model will keep, told and bounded before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import HeadlightError
from core.models.card import ModelCard
from core.models.estimate import Sizes, free_nbytes, layer_nbytes, recording_nbytes, run_seconds

# Maps are looked at in blocks: 2^20 float32 weights at a time, of which the formula and the measures make eight copies.
# Whatever the text's length, no more of them is in memory; see `core.heads.blocks`.
BLOCK_BYTES = 8 * 4 * 2**20
# One pass over all heads costs so long a cell on a core of 2025: the weights, their measures, a thumbnail.
SURVEY_SECONDS = 6e-9


@dataclass(frozen=True)
class Cost:
    """What a run will take: bytes it keeps while it is looked at, and seconds of the pass and of the survey, about."""

    nbytes: int
    seconds: float


def run_nbytes(card: ModelCard, itemsize: int, tokens: int, decoder_tokens: int = 0) -> int:
    """Memory of a run: queries and keys of all layers, and blocks of weights while they are looked at.

    Where queries and keys cannot be had, the weights of all layers are kept; a position bias is as large as the weights
    of one layer, and one serves all layers of a stream, except Shaw's, which each layer's queries make anew.
    itemsize: bytes of a number in the model's format; decoder_tokens: of an encoder-decoder's decoder.
    """
    kept, keys_read = 0, 0
    for stream in card.streams:
        sizes, (queries, keys) = _sizes(card, stream), _lengths(stream, tokens, decoder_tokens)
        kept += recording_nbytes(sizes, queries, keys, itemsize)
        kept += 0 if sizes.width else sizes.layers * layer_nbytes(sizes, queries, keys)
        kept += _biases(card.positions, sizes.layers) * layer_nbytes(sizes, queries, keys)
        # The formula reads one layer's keys in float32, once for each query head.
        keys_read = max(keys_read, 4 * sizes.heads * sizes.width * keys)
    return kept + keys_read + BLOCK_BYTES


def cost_of(
    card: ModelCard, parameters: int, itemsize: int, pace: tuple[int, float], tokens: int, decoder_tokens: int = 0
) -> Cost:
    """The cost of one pass and of looking at all its heads once.

    pace: tokens and seconds of a pass that was timed on the same device.
    """
    sizes = _sizes(card, card.streams[0]) if card.streams else Sizes(0, 0, 0, 0)
    seconds = run_seconds(parameters, sizes, max(tokens, decoder_tokens), pace)
    seconds += SURVEY_SECONDS * sum(_cells(card, stream, tokens, decoder_tokens) for stream in card.streams)
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


def _biases(positions: str, layers: int) -> int:
    """How many position biases, each as large as the weights of a layer, a stream keeps."""
    return {"relative bias": 1, "ALiBi": 1, "Shaw relative": layers}.get(positions, 0)


def _sizes(card: ModelCard, stream: str) -> Sizes:
    return Sizes(card.layers[stream], card.heads[stream], card.key_value_heads[stream], card.widths[stream])


def _lengths(stream: str, tokens: int, decoder_tokens: int) -> tuple[int, int]:
    """Queries and keys of a stream."""
    both = {
        "encoder": (tokens, tokens),
        "decoder": (decoder_tokens, decoder_tokens),
        "cross": (decoder_tokens, tokens),
        "pooling": (1, tokens),
    }
    return both.get(stream, (tokens, tokens))


def _cells(card: ModelCard, stream: str, tokens: int, decoder_tokens: int) -> int:
    """Weights of all layers and heads of a stream."""
    queries, keys = _lengths(stream, tokens, decoder_tokens)
    return card.layers[stream] * card.heads[stream] * queries * keys


def _most_tokens(card: ModelCard, itemsize: int, free: int, tokens: int, decoder_tokens: int) -> int:
    low, high = 0, tokens
    while high - low > 1:
        middle = (low + high) // 2
        fits = run_nbytes(card, itemsize, middle, decoder_tokens) <= free
        low, high = (middle, high) if fits else (low, middle)
    return low
