"""Does order matter? One text in two orders, with positions and without."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import tokenizers
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM

from core import load
from core.jobs import Cancelled, Job, Progress
from core.mechanics.order import MOST_TOKENS, compare_orders
from core.mechanics.order_maps import map_difference, rearranged
from core.models.model import Model
from tests.heads.hand_made import random_weights, stored_trace, tokens_of
from tests.sentences import refused
from tests.tiny import save_model

CHASED = (2, 3, 1, 0)


@pytest.fixture(scope="module")
def chinese() -> Model:
    return load("zh-en-transformer")


def test_without_positions_the_encoder_s_maps_are_permuted_and_both_orders_mean_the_same(chinese: Model) -> None:
    found = compare_orders(chinese, "猫追老鼠", CHASED)
    assert (found.stream, found.order, found.places) == ("encoder", CHASED, (0, 3, 4, 2, 1, 5))
    assert found.output_words("original") == "the cat chases the mouse"
    assert found.output_words("moved") == "the mouse chases the cat"
    assert found.difference > 0.5
    assert found.output_difference > 0.5
    assert found.bare_difference is not None
    assert found.bare_difference < 1e-6 < found.tolerance
    assert (found.equivariant, found.causal, found.refused) == (True, False, "")
    assert found.output_words("bare_original") == found.output_words("bare_moved") != ""
    assert found.bare_output_difference is not None
    assert found.bare_output_difference < 1e-5
    assert found.bare_original is not None
    assert found.bare_original.provenance.remark == "without positions"
    assert found.original.provenance.remark == ""


def test_the_difference_is_that_of_the_maps_that_are_shown(chinese: Model) -> None:
    found = compare_orders(chinese, "猫追老鼠", CHASED)
    gaps = [
        (found.moved.attention(layer, stream="encoder") - found.rearranged(layer)).abs().max()
        for layer in range(found.original.layers("encoder"))
    ]
    assert found.difference == pytest.approx(float(max(gaps)))
    assert found.bare_moved is not None
    assert torch.allclose(found.bare_moved.attention(0, [1], "encoder"), found.rearranged(0, [1], bare=True), atol=1e-6)
    # Cell (猫, 追) of the original is cell (4, 3) of the moved text.
    assert torch.equal(found.rearranged(0)[:, 4, 3], found.original.attention(0, stream="encoder")[:, 1, 2])


def test_the_text_moved_is_read_as_if_it_had_been_typed(chinese: Model) -> None:
    found, typed = compare_orders(chinese, "猫追老鼠", CHASED), chinese.run("老鼠追猫")
    for stream in typed.streams:
        assert torch.equal(found.moved.attention(0, stream=stream), typed.attention(0, stream=stream))


def test_a_target_is_said_to_both_orders(chinese: Model) -> None:
    found = compare_orders(chinese, "猫追老鼠", CHASED, target="the cat chases the mouse")
    assert found.moved.said_ids == found.original.said_ids
    probabilities = [
        [trace.probability(row) or 0 for row in range(len(trace.said_ids))] for trace in (found.original, found.moved)
    ]
    assert found.output_difference == pytest.approx(max(abs(a - b) for a, b in zip(*probabilities, strict=True)))
    bare = found.bare_original, found.bare_moved
    assert bare[0] is not None
    assert bare[1] is not None
    crossed = rearranged(bare[0].attention(0, stream="cross"), found.places, "cross")
    assert torch.allclose(bare[1].attention(0, stream="cross"), crossed, atol=1e-6)


def test_hidden_states_of_a_trained_encoder_are_permuted_too(minilm: Model) -> None:
    found = compare_orders(minilm, "The cat sat on the mat.", (1, 5, 0, 6, 3, 2, 4))
    assert (found.stream, found.equivariant, found.causal) == ("self", True, False)
    assert found.difference > 0.1 > found.tolerance
    assert found.output_difference > 0.1
    assert found.bare_output_difference is not None
    assert found.bare_output_difference < 5e-6
    assert [found.output_words(which) for which in ("original", "bare_moved")] == ["", ""]


def test_a_classifier_that_knows_no_order_gives_both_the_same_label() -> None:
    found = compare_orders(
        load("sentiment-transformer"), "the film was not good , it was bad", (4, 7, 0, 8, 2, 6, 1, 5, 3)
    )
    assert found.equivariant
    assert found.bare_output_difference is not None
    assert found.bare_output_difference < 1e-6 < found.output_difference < 1
    assert found.output_words("original") in ("negative", "positive")


def test_a_causal_model_knows_the_order_without_any_positions() -> None:
    found = compare_orders(load("lm-none"), "the cat sat on the mat", (1, 0, 2, 3, 4, 5))
    assert (found.causal, found.equivariant) == (True, False)
    assert found.bare_difference == found.difference > 0.1
    assert found.bare_output_difference == found.output_difference > 0
    assert found.output_words("bare_moved") == found.output_words("moved") != ""


def test_over_an_rnn_the_maps_of_two_translations_have_no_common_rows_and_positions_no_way_out() -> None:
    found = compare_orders(load("zh-en-gru-bahdanau"), "猫追老鼠", CHASED)
    assert found.stream == "cross"
    assert math.isnan(found.difference)
    assert (found.bare_original, found.bare_difference, found.equivariant) == (None, None, None)
    assert "recurrence" in found.refused
    assert found.output_words("moved") == "the mouse chases the cat"
    assert found.output_words("bare_moved") == ""
    with refused("recurrence"):
        found.rearranged(0, bare=True)


def test_pooling_over_words_that_are_read_alone_is_permuted_with_nothing_taken_out() -> None:
    found = compare_orders(load("sentiment-average-additive-0"), "the film was not good", (4, 3, 2, 1, 0))
    assert (found.stream, found.equivariant) == ("pooling", True)
    assert found.difference <= found.tolerance


def test_an_encoder_decoder_without_a_head_says_nothing_and_its_states_stay_in_place(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    save_model(tmp_path, "bart", AutoModel, byte_level)
    found = compare_orders(load(str(tmp_path)), "the cat sat", (2, 0, 1), target="a dog")
    assert found.equivariant
    assert found.bare_output_difference is not None
    assert found.bare_output_difference < 1e-5 < found.output_difference
    assert found.output_words("original") == ""


def test_a_window_still_tells_places_apart(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "modernbert", AutoModelForMaskedLM, byte_level)
    model = load(str(tmp_path))
    near = compare_orders(model, "a b", (1, 0))
    assert near.equivariant
    far = compare_orders(model, "a b c d e f g h i j", (9, 2, 5, 0, 7, 1, 8, 3, 6, 4))
    assert (far.equivariant, far.causal) == (False, False)


def test_a_text_in_its_own_order_differs_in_nothing(minilm: Model) -> None:
    found = compare_orders(minilm, "one two three", (0, 1, 2))
    assert (found.difference, found.bare_difference, found.output_difference) == (0, 0, 0)


def test_the_job_hears_of_the_passes_and_the_layers_and_can_end_both(chinese: Model) -> None:
    told: list[Progress] = []
    compare_orders(chinese, "猫追老鼠", CHASED, job=Job("ann", "Order", told.append))
    layers = chinese.card.layers["encoder"]
    assert [p.step for p in told].count(f"comparing layer {layers - 1}") == 2
    assert any(p.step.startswith("writing token") for p in told)

    def stop(progress: Progress) -> None:
        if progress.step.startswith("comparing"):
            job.cancel()

    job = Job("ann", "Order", stop)
    with pytest.raises(Cancelled):
        compare_orders(chinese, "猫追老鼠", CHASED, job=job)


def test_a_cancelled_job_is_not_taken_for_positions_that_stay(minilm: Model) -> None:
    def stop(progress: Progress) -> None:
        heard.append(progress)
        if len(heard) > 2 * 7 + 2:  # beyond the two passes with positions, of six layers each
            job.cancel()

    heard: list[Progress] = []
    job = Job("ann", "Order", stop)
    with pytest.raises(Cancelled):
        compare_orders(minilm, "one two", (1, 0), job=job)


@pytest.mark.parametrize("order", [(0, 1), (0, 0, 1), (0, 1, 5)])
def test_an_order_that_does_not_fit_gets_a_sentence(minilm: Model, order: tuple[int, ...]) -> None:
    with refused("3 words once"):
        compare_orders(minilm, "one two three", order)


def test_a_map_of_more_than_one_block_is_compared_to_its_last_row() -> None:
    places, tokens, nothing = (
        (*range(7, 1100), *range(7)),
        tokens_of(range(1100)),
        torch.zeros(1100, 1100, dtype=torch.bool),
    )
    before = random_weights(1, nothing)
    moved = rearranged(before, places, "self")
    trace = stored_trace(before, nothing, tokens)
    assert map_difference(trace, stored_trace(moved, nothing, tokens), places, "self") == 0
    moved[0, 1099, 5] += 0.25
    changed = stored_trace(moved, nothing, tokens)
    assert map_difference(trace, changed, places, "self") == pytest.approx(0.25, abs=1e-6)


def test_a_text_too_long_to_be_compared_gets_a_sentence(tmp_path: Path, byte_level: tokenizers.Tokenizer) -> None:
    save_model(tmp_path, "llama", AutoModelForCausalLM, byte_level, max_position_embeddings=MOST_TOKENS * 2)
    with refused("shorten it"):
        compare_orders(load(str(tmp_path)), "a " * (MOST_TOKENS + 1), ())
