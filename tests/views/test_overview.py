"""The picture of all heads: shades by scale and span, titles with measures, within its message bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.heads import Filters, retiled, survey
from core.views import SCALES, View, overview_figure
from core.views.overview import LARGEST_MESSAGE
from core.views.payload import unpack
from core.views.words import share_words
from tests.views.traces import archive, random_trace, renamed, table

SELF = View("self", 0, 0)


@pytest.mark.parametrize("scale", SCALES)
def test_tiles_are_shares_of_their_own_maximum_on_the_scale(trace, surveyed, scale: str):
    header, arrays = unpack(overview_figure(trace, surveyed, View("self", 3, 1, scale)).payload)
    tile = trace.attention(3)[1].numpy()
    np.testing.assert_array_equal(arrays["tiles"][3, 1], np.rint(SCALES[scale].place(tile / tile.max()) * 254))
    assert (header["layers"], header["heads"], len(header["titles"])) == (6, 12, 72)
    assert "selected" not in header


def test_the_strongest_colour_stands_for_what_the_span_says(trace, surveyed):
    weights = np.stack([trace.attention(layer).numpy() for layer in range(6)])
    tops = {
        "head": weights.max(axis=(-1, -2), keepdims=True),
        "row": weights.max(axis=-1, keepdims=True),
        "all": weights.max(),
        "one": 1,
    }
    for span, top in tops.items():
        figure = overview_figure(trace, surveyed, View("self", 0, 0, "linear", span))
        np.testing.assert_array_equal(unpack(figure.payload)[1]["tiles"], np.rint(weights / top * 254))


def test_the_legend_has_weights_where_tiles_share_them_and_shares_where_not(trace, surveyed):
    def ticks(scale: str, span: str) -> list[str]:
        header, _ = unpack(overview_figure(trace, surveyed, View("self", 0, 0, scale, span)).payload)
        return header["legend"]["ticks"]

    assert ticks("sqrt", "one") == ["0", "0.25", "1"]
    assert ticks("log", "one") == ["≤ 1.0e-4", "0.01", "1"]
    assert ticks("sqrt", "head") == ["0", "25 %", "100 %"]
    assert ticks("log", "row") == ["≤ 0.01 %", "1 %", "100 %"]


def test_masked_cells_have_a_value_of_their_own():
    trace = random_trace(5, causal=True)
    tiles = unpack(overview_figure(trace, survey(trace, "self"), SELF).payload)[1]["tiles"]
    np.testing.assert_array_equal(tiles[0, 0] == 255, np.triu(np.ones((5, 5), bool), 1))


def test_titles_name_each_measure_beside_its_uniform_value(trace, surveyed):
    titles = unpack(overview_figure(trace, surveyed, SELF).payload)[0]["titles"]
    m = surveyed.measures[2]
    assert titles[2 * 12 + 8].split(" · ") == [
        f"entropy {float(m.entropy[8]):.2f} nats (uniform {m.uniform_entropy:.2f})",
        f"mean distance {float(m.distance[8]):.1f} tokens (uniform {m.uniform_distance:.1f})",
        f"first token {share_words(float(m.first[8]))} (uniform 0.062)",
        f"previous token {share_words(float(m.previous[8]))} (uniform 0.062)",
        f"next token {share_words(float(m.next[8]))} (uniform 0.062)",
        f"special tokens {share_words(float(m.special[8]))} (uniform 0.12)",
        f"own token {share_words(float(m.own[8]))} (uniform 0.062)",
    ]


@pytest.mark.parametrize(("layers", "heads"), [(32, 32), (80, 64), (2, 3)])
def test_no_message_is_larger_than_a_megabyte(layers: int, heads: int):
    trace = random_trace(9, causal=True, layers=layers, heads=heads)
    surveyed = survey(trace, "self")
    # As large as tiles may be, whatever the text's length.
    side = int((880_000 / (layers * heads)) ** 0.5)
    tiles = surveyed.tiles[..., :1, :1].expand(layers, heads, side, side)
    figure = overview_figure(renamed(trace, "m" * 200), replace(surveyed, tiles=tiles), SELF)
    assert len(figure.payload) <= LARGEST_MESSAGE
    titles = unpack(figure.payload)[0]["titles"]
    assert len(titles) == layers * heads
    assert ("entropy" in titles[0]) == (layers * heads <= 1024)


def test_filters_are_said_and_measures_stay_those_of_all_tokens(trace, surveyed):
    filters = Filters(words=True, special="hide")
    figure = overview_figure(trace, retiled(trace, surveyed, filters), View("self", 0, 0, filters=filters))
    for part in ("special tokens left out, rows not renormalised", "tokens merged to words", "measures count all"):
        assert part in figure.caption
        assert part in str(archive(figure.npz())["caption"])
    assert figure.stem.endswith("all-heads_words_no-special")
    full = table(overview_figure(trace, surveyed, SELF).csv())
    assert table(figure.csv()).equals(full)
    assert set(full["special"]) == {"show"}


def test_exports_hold_the_measures_of_every_head(trace, surveyed):
    figure = overview_figure(trace, surveyed, SELF)
    rows, arrays = table(figure.csv()), archive(figure.npz())
    assert len(rows) == 72
    for layer, measures in enumerate(surveyed.measures):
        np.testing.assert_array_equal(arrays["special_token_weight"][layer], measures.special)
        own = rows[rows["layer"] == layer]
        np.testing.assert_allclose(own["previous_token_weight"], measures.previous, rtol=1e-5)
        np.testing.assert_allclose(own["uniform_next_token_weight"], measures.uniform_next, rtol=1e-5)
    np.testing.assert_array_equal(arrays["tiles"], surveyed.tiles)
