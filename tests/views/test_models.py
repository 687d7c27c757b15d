"""Every figure of every stream, under every filter, of tiny models of several kinds: drawn, and all can be exported."""

from __future__ import annotations

from html import escape
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.capture import Trace
from core.heads import Filters, attention_map, retiled, survey
from core.views import (
    View,
    captions,
    head_map_figure,
    head_view_figure,
    heatmap,
    heatmap_figure,
    overview_figure,
    query_key_figure,
    standalone,
    text_figure,
)
from core.views.payload import unpack
from tests.tiny import save_model
from tests.views.traces import archive, table

KINDS = {
    "gpt2": AutoModelForCausalLM,
    "bloom": AutoModelForCausalLM,
    "qwen2": AutoModelForCausalLM,
    "bart": AutoModelForSeq2SeqLM,
    "t5": AutoModelForSeq2SeqLM,
}
SIZES = {"bloom": dict(hidden_size=32, n_layer=2, n_head=4)}


@pytest.fixture(scope="module", params=KINDS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer):
    """A run in which the model also wrote something."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    save_model(folder, request.param, KINDS[request.param], byte_level, **SIZES.get(request.param, {}))
    return load(str(folder)).run("the cat 😀 sat", generate=3)


def test_every_figure_is_drawn_and_exported(written: Trace):
    for stream, words, special, head in product(
        written.streams, (False, True), ("show", "hide", "renormalise"), (0, None)
    ):
        filters = Filters(words, special)
        view = View(stream, 0, head, filters=filters)
        surveyed = retiled(written, survey(written, stream), filters)
        figures = [
            overview_figure(written, surveyed, view),
            heatmap_figure(written, view, surveyed),
            head_view_figure(written, view),
            text_figure(written, view, 1, 1),
            head_map_figure(written, surveyed, view),
        ]
        if head is not None:
            figures.append(query_key_figure(written, view, 1))
        for figure in figures:
            assert len(table(figure.csv())) > 0
            assert escape(figure.caption) in standalone(figure, {}).decode()
        expected = attention_map(written, stream, 0, None if head is None else [head], filters)
        np.testing.assert_allclose(archive(figures[1].npz())["weights"], expected.weights.mean(0), atol=1e-7)
        assert captions.picked_line(written, view, 1, 1)
        assert heatmap(written, 0, head, stream, filters=filters).data[0].z.shape == tuple(expected.masked.shape)


def test_query_and_keys_end_in_the_weights_whatever_the_model(written: Trace):
    for stream in written.streams:
        header, arrays = unpack(query_key_figure(written, View(stream, 1, 1), 2).payload)
        np.testing.assert_allclose(arrays["weights"], written.attention(1, [1], stream)[0, 2], atol=1e-5)
        assert ("dots" in arrays) == (header["dims"] > 0)


def test_what_the_model_wrote_is_told_from_the_prompt(written: Trace):
    for stream in written.streams:
        view = View(stream, 0, 0)
        figure = heatmap_figure(written, view, survey(written, stream))
        header, _ = unpack(figure.payload)
        if stream != "self":
            assert "written by the model" not in figure.caption
            assert header["row_breaks"] == header["col_breaks"] == []
            continue
        assert ", the last 3 tokens written by the model · " in figure.caption
        for given in (header, unpack(head_view_figure(written, view).payload)[0]):
            assert given["row_breaks"] == given["col_breaks"] == [len(written.tokens) - 3]


def test_the_texts_of_both_sides_are_shown_letter_for_letter(written: Trace):
    for stream in written.streams:
        header, _ = unpack(text_figure(written, View(stream, 0, 0), None, None).payload)
        for block in header["blocks"]:
            side = written.keys(stream) if block["role"] == "key" else written.queries(stream)
            assert "".join(text for text, _, kind, *_ in block["parts"] if kind != "special") == side.text
