"""What a run is said to keep, against what is kept, and what is refused before it starts."""

import pytest

from core.heads.blocks import CELLS
from core.models.card import ModelCard
from core.models.cost import BLOCK_BYTES, cost_of, require_room, run_nbytes
from core.models.model import Model
from tests.sentences import refused


def card(
    layers: int, heads: int, width: int, positions: str = "learned", streams: tuple[str, ...] = ("self",)
) -> ModelCard:
    counts, widths = dict.fromkeys(streams, heads), dict.fromkeys(streams, width)
    return ModelCard(
        "huge", "gpt2", streams, dict.fromkeys(streams, layers), counts, counts, widths, positions, 10**9, True
    )


def test_the_cost_of_a_run_is_told_before_it(minilm: Model) -> None:
    short, long = minilm.estimate(64), minilm.estimate(512)
    assert 0 < short.seconds < long.seconds
    # Queries and keys of 6 layers x 12 heads x 32 numbers in float32, one layer's keys again, and a block of weights.
    assert long.nbytes == 4 * 2 * 6 * 12 * 32 * 512 + 4 * 12 * 32 * 512 + BLOCK_BYTES


def test_what_a_trace_keeps_is_within_what_was_said(minilm: Model) -> None:
    trace = minilm.run("the cat sat " * 100)
    kept = minilm.estimate(len(trace.tokens)).nbytes - BLOCK_BYTES
    assert kept / 2 < trace.nbytes <= kept  # its output is as large as one layer's keys


def test_a_block_is_the_one_that_maps_are_read_in() -> None:
    assert BLOCK_BYTES == 8 * 4 * CELLS


def test_16384_tokens_of_a_small_model_take_little_more_than_their_queries_and_keys() -> None:
    assert 0 < run_nbytes(card(12, 12, 64), 4, 16_384) - 2 * 12 * 12 * 64 * 4 * 16_384 < 150e6


@pytest.mark.parametrize(
    ("known", "maps"),
    [
        (card(6, 8, 0), 6),  # weights are kept where there are no queries and keys
        (card(6, 8, 64, "relative bias"), 1),  # one bias for all layers
        (card(6, 8, 0, "relative bias"), 7),
        (card(6, 8, 64, "Shaw relative"), 6),  # each layer's queries make one
    ],
)
def test_what_grows_with_the_square_of_the_length_is_told(known: ModelCard, maps: int) -> None:
    rest = run_nbytes(card(6, 8, known.widths["self"]), 4, 0)
    long, longer = (run_nbytes(known, 4, tokens) - rest for tokens in (4096, 8192))
    assert longer - 2 * long == maps * 8 * 4 * (8192**2 - 2 * 4096**2)


def test_each_stream_of_an_encoder_decoder_has_its_own_lengths() -> None:
    known = card(2, 4, 8, streams=("encoder", "decoder", "cross"))
    encoder, decoder, cross = 2 * 100, 2 * 30, 100 + 30
    assert run_nbytes(known, 4, 100, 30) - BLOCK_BYTES == 4 * 4 * 8 * (2 * (encoder + decoder + cross) + 100)


def test_looking_at_all_heads_takes_time_too() -> None:
    pace, many, few = (64, 0.1), card(24, 16, 64), card(24, 1, 1024)
    assert cost_of(many, 10**8, 4, pace, 2048).seconds > cost_of(few, 10**8, 4, pace, 2048).seconds


def test_a_run_that_cannot_fit_is_refused_with_the_length_that_would() -> None:
    with refused("huge would need", "shorten the text to about"):
        require_room(card(96, 96, 128), 4, "cpu", 10**7)
    require_room(card(96, 96, 128), 4, "cpu", 10)
