"""Attention between words: which rows belong to a word, what is summed and averaged, and what is kept apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core import load
from core.capture import Trace, word_weights
from core.capture.word_groups import groups_of
from tests.capture.word_traces import one_hot_trace, pieces, random_trace
from tests.sentences import refused
from tests.zoo.checkpoints import saved

SOURCE, TARGET = "The man doesn't know.", "L'homme n'est pas là."
TEXTS = st.text("abc é'-.?猫追老鼠 ", min_size=1, max_size=12).filter(lambda text: text.strip() != "")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return random_trace(SOURCE, TARGET)


def mean_of(trace: Trace) -> torch.Tensor:
    return torch.stack([trace.attention(layer, stream="cross").mean(0) for layer in range(2)]).mean(0)


def test_words_are_named_and_special_tokens_kept_apart(trace: Trace) -> None:
    words = word_weights(trace, 0, 0)
    assert words.columns == ("The", "man", "doesn", "'", "t", "know", ".", "</s>")
    assert words.rows == ("l'homme", "n'est", "pas", "là", ".", "</s>")
    assert (words.end_rows, words.end_columns) == ({5}, {7})
    assert words.weights.dtype == np.float32
    assert words.weights.shape == (6, 8)


def test_columns_of_a_word_are_summed_and_rows_averaged(trace: Trace) -> None:
    words = word_weights(trace, 1, 2)
    weights = trace.attention(1, [2], "cross")[0].numpy()  # (T, S)
    columns = trace.keys("cross").merged().members
    for row, rows in enumerate(words.row_tokens):
        for column, places in enumerate(columns):
            expected = weights[list(rows)][:, list(places)].sum(1).mean()
            assert words.weights[row, column] == pytest.approx(float(expected), abs=1e-6)


def test_read_by_output_a_word_has_the_rows_that_produce_it_and_by_input_those_that_are_fed_with_it(
    trace: Trace,
) -> None:
    produced, read = trace.produced, trace.queries("cross")
    assert produced is not None
    for reads, shift in (("output", 0), ("input", 1)):
        words = word_weights(trace, 0, 0, reads)
        members = [members for members in produced.merged().members if members[0] + shift < len(read)]
        assert words.row_tokens == tuple(tuple(place + shift for place in places) for places in members)
    fed = word_weights(trace, 0, 0, "input")
    for rows in fed.row_tokens:
        labels = [read.labels[row] for row in rows]
        assert labels == [produced.labels[row - 1] for row in rows]


def test_what_was_produced_last_and_never_read_has_no_row_by_input(trace: Trace) -> None:
    assert word_weights(trace, 0, 0, "output").rows[-1] == "</s>"
    fed = word_weights(trace, 0, 0, "input")
    assert fed.rows[-1] == "."
    assert fed.end_rows == frozenset()
    without_end = random_trace(SOURCE, TARGET, ended=False)
    assert word_weights(without_end, 0, 0, "output").rows == word_weights(without_end, 0, 0, "input").rows


def test_without_a_layer_or_head_it_is_the_mean_over_them(trace: Trace) -> None:
    alone = [[word_weights(trace, layer, head).weights for head in range(3)] for layer in range(2)]
    assert word_weights(trace, 1, None).weights == pytest.approx(np.mean(alone[1], axis=0), abs=1e-6)
    assert word_weights(trace, None, 2).weights == pytest.approx(
        np.mean([layer[2] for layer in alone], axis=0), abs=1e-6
    )
    assert word_weights(trace, None, None).weights == pytest.approx(np.mean(alone, axis=(0, 1)), abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(source=TEXTS, target=TEXTS, seed=st.integers(0, 9), reads=st.sampled_from(("output", "input")))
def test_rows_of_a_softmax_still_sum_to_one(source: str, target: str, seed: int, reads: str) -> None:
    words = word_weights(random_trace(source, target, seed), None, None, reads)
    assert words.weights.sum(axis=1) == pytest.approx(np.ones(len(words.rows)), abs=1e-5)
    assert len(words.rows) == len(words.row_tokens)


@settings(deadline=None, max_examples=30)
@given(source=TEXTS, target=TEXTS, data=st.data())
def test_a_one_hot_alignment_of_words_stays_one(source: str, target: str, data: st.DataObject) -> None:
    """Each target word looks at pieces of one source word."""
    members = [group.tokens for group in groups_of(pieces().encode(source))]
    words = [group.tokens for group in groups_of(pieces().tokens_of_ids(pieces().encode(target).ids))]
    chosen = [data.draw(st.integers(0, len(members) - 1)) for _ in words]
    columns = [
        data.draw(st.sampled_from(members[word])) for word, rows in zip(chosen, words, strict=True) for _ in rows
    ]
    weights = word_weights(one_hot_trace(source, target, columns), 0, 0).weights
    assert weights == pytest.approx(np.eye(len(members), dtype=np.float32)[chosen], abs=1e-6)


def test_words_that_somebody_counted_cut_and_join_those_of_the_model(trace: Trace) -> None:
    source, target = ("The", "man", "doesn't", "know", "."), ("L'", "homme", "n'", "est", "pas", "là", ".")
    words = word_weights(trace, None, None, source_words=source, target_words=target)
    assert (words.columns, words.rows) == ((*source, "</s>"), (*target, "</s>"))
    own = word_weights(trace, None, None)
    assert words.weights[-1, 2] == pytest.approx(own.weights[-1, 2:5].sum(), abs=1e-6)
    assert words.weights.sum(axis=1) == pytest.approx(np.ones(8), abs=1e-5)
    first, second = words.row_tokens[:2]
    assert {*first} | {*second} == {*own.row_tokens[0]}


def test_chinese_words_are_as_long_as_their_reader_says() -> None:
    trace = random_trace("那只黑猫正在追一只小老鼠。", "The cat")
    by_character = word_weights(trace, None, None)
    assert by_character.columns == (*"那只黑猫正在追一只小老鼠。", "</s>")
    by_word = word_weights(trace, None, None, source_words=[*"那只黑猫", "正在", *"追一只小", "老鼠", "。"])
    assert by_word.columns[4] == "正在"
    assert by_word.weights[:, 4] == pytest.approx(by_character.weights[:, 4:6].sum(axis=1), abs=1e-6)


def test_a_source_that_ends_nowhere_has_only_words() -> None:
    trace = random_trace("The cat", "猫")
    assert trace.keys("cross").special[-1]
    assert word_weights(trace, 0, 0).end_columns == {2}


def test_what_cannot_be_read_is_refused(trace: Trace) -> None:
    with refused("no reading of rows called middle"):
        word_weights(trace, 0, 0, "middle")
    with refused("no encoder-attention"):
        word_weights(trace, 0, 0, stream="encoder")
    with pytest.raises(IndexError):
        word_weights(trace, 7, 0)


def test_a_model_of_one_stack_aligns_a_text_with_itself(minilm) -> None:
    trace = minilm.run("The cat sat unbelievably.")
    words = word_weights(trace, None, None, stream="self")
    assert words.rows == words.columns == ("[CLS]", "The", "cat", "sat", "unbelievably", ".", "[SEP]")
    assert words.end_rows == words.end_columns == {0, 6}
    with refused("no cross-attention"):
        word_weights(trace, None, None)


@pytest.mark.parametrize("architecture", ["RecurrentForConditionalGeneration", "TransformerForConditionalGeneration"])
def test_a_real_run_is_read_by_its_words(tmp_path: Path, architecture: str) -> None:
    saved(tmp_path, architecture)
    trace = load(str(tmp_path)).run("abc cab", target="ab ba")
    words = word_weights(trace, 0, 0)
    assert (words.rows, words.columns) == (("ab", "ba", "</s>"), (*"abc␣cab", "</s>"))
    assert words.weights.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    given = word_weights(trace, 0, 0, "input", source_words=["abc", "cab"])
    assert (given.rows, given.columns) == (("ab", "ba"), ("abc", "cab", "</s>"))
    if "decoder" in trace.streams:
        own = word_weights(trace, None, None, stream="decoder")
        assert (own.rows, own.columns) == (("ab", "ba", "</s>"), ("<s>", "ab", "ba"))
