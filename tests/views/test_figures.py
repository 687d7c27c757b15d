"""Figures hold what the trace holds: in the picture's bytes, in the caption, in the downloads."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import torch

from core.capture import AttentionCall, Check, Output, Provenance, Trace
from core.errors import HeadlightError
from core.heads import survey
from core.text import Tokens
from core.views import SCALES, head_view_figure, heatmap_figure, overview_figure
from core.views.captions import head_facts
from core.views.heatmap import EXACT_CELLS
from core.views.payload import unpack


def table(csv: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(csv))


def archive(npz: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(npz)) as arrays:
        return dict(arrays)


def random_trace(length: int, *, causal: bool, layers: int = 2, heads: int = 3, **special: object) -> Trace:
    """A trace of random queries and keys, as long as wanted. special: further fields of its calls."""
    generator = torch.Generator().manual_seed(length)
    column = tuple(range(length))
    tokens = Tokens(
        text="x" * length,
        text_pair=None,
        ids=column,
        pieces=("x",) * length,
        labels=("x",) * length,
        spans=tuple((i, i + 1) for i in column),
        sequences=(0,) * length,
        words=column,
        type_ids=(0,) * length,
        special=(False,) * length,
        unknown=(False,) * length,
    )
    calls = [
        AttentionCall(
            path="",
            stream="self",
            layer=layer,
            query=torch.randn(1, heads, length, 8, generator=generator),
            key=torch.randn(1, heads, length, 8, generator=generator),
            mask=None,
            causal=causal,
            scale=8**-0.5,
            bias=None,
            **special,
        )
        for layer in range(layers)
    ]
    provenance = Provenance("tiny", "0", "float32", "CPU", "sdpa", "causal", (Check(0.0, 1e-5, layers),))
    return Trace(tokens, calls, provenance, Output("hidden states", torch.zeros(length, 4)))


def test_the_heatmap_draws_the_very_weights(trace):
    header, arrays = unpack(heatmap_figure(trace, "self", 2, 8, "sqrt").payload)
    np.testing.assert_array_equal(arrays["weights"], trace.attention(2, [8])[0])
    assert tuple(header["row_labels"]) == tuple(header["col_labels"]) == trace.tokens.labels
    assert header["max"] == pytest.approx(float(trace.attention(2, [8]).max()))
    assert header["row_kinds"][0] == "special"
    assert header["row_kinds"][5] == "unknown"


def test_masked_cells_are_not_numbers_in_the_picture_and_named_in_the_downloads():
    figure = heatmap_figure(random_trace(9, causal=True), "self", 1, 0, "linear")
    drawn = unpack(figure.payload)[1]["weights"]
    later = np.triu(np.ones((9, 9), bool), 1)
    np.testing.assert_array_equal(np.isnan(drawn), later)
    np.testing.assert_array_equal(archive(figure.npz())["masked"], later)
    np.testing.assert_array_equal(table(figure.csv())["masked"].to_numpy().reshape(9, 9), later)


def test_a_large_heatmap_is_sent_in_half_precision_and_downloaded_in_full():
    trace = random_trace(1025, causal=False, layers=1, heads=1)
    assert EXACT_CELLS < 1025**2
    figure = heatmap_figure(trace, "self", 0, 0, "sqrt")
    assert unpack(figure.payload)[1]["weights"].dtype == np.float16
    np.testing.assert_array_equal(archive(figure.npz())["weights"], trace.attention(0, [0])[0])


@pytest.mark.parametrize("scale", SCALES)
def test_overview_tiles_are_shares_of_their_own_maximum_on_the_scale(trace, surveyed, scale: str):
    header, arrays = unpack(overview_figure(trace, surveyed, 3, 1, scale).payload)
    tile = trace.attention(3)[1].numpy()
    expected = np.rint(SCALES[scale].place(tile / tile.max()) * 254)
    np.testing.assert_array_equal(arrays["tiles"][3, 1], expected)
    assert header["selected"] == [3, 1]
    assert len(header["titles"]) == 72


def test_masked_overview_cells_have_a_value_of_their_own():
    trace = random_trace(5, causal=True)
    tiles = unpack(overview_figure(trace, survey(trace, "self"), 0, 0, "sqrt").payload)[1]["tiles"]
    np.testing.assert_array_equal(tiles[0, 0] == 255, np.triu(np.ones((5, 5), bool), 1))


def test_an_overview_of_1024_heads_stays_below_a_megabyte():
    trace = random_trace(128, causal=True, layers=32, heads=32)
    assert len(overview_figure(trace, survey(trace, "self"), 0, 0, "sqrt").payload) < 1_000_000


def test_head_view_weights_come_back_within_half_a_step_of_their_row(trace):
    header, arrays = unpack(head_view_figure(trace, "self", 2, 8).payload)
    weights = trace.attention(2).numpy()
    row_max = arrays["row_max"]
    restored = arrays["weights"] / np.float32(255) * row_max[..., None]
    assert np.all(np.abs(restored - weights) <= row_max[..., None] / 509)
    assert header["shown"] == [8]


def test_head_view_csv_lists_the_lines_at_rest(trace):
    lines = table(head_view_figure(trace, "self", 2, 8).csv())
    weights = trace.attention(2).numpy()
    assert lines["weight"].min() > 0.02
    assert lines.groupby(["head", "query_index"]).size().max() <= 6
    found = weights[lines["head"], lines["query_index"], lines["key_index"]]
    np.testing.assert_allclose(lines["weight"], found, rtol=1e-5)


def test_downloads_keep_repeated_unknown_and_hostile_labels_letter_for_letter(trace):
    figure = heatmap_figure(trace, "self", 0, 0, "sqrt")
    labels = trace.tokens.labels
    assert {"猫", "<", "script", "="} <= set(labels)
    assert tuple(archive(figure.npz())["queries"]) == labels
    rows = pd.read_csv(io.BytesIO(figure.csv()), keep_default_na=False)
    assert tuple(rows["key"][: len(labels)]) == labels
    assert figure.csv().startswith(b"\xef\xbb\xbf")


def test_captions_name_model_place_scale_normalisation_size_and_check(trace, surveyed):
    count = len(trace.tokens)
    for figure, place in (
        (overview_figure(trace, surveyed, 0, 0, "sqrt"), "all 6 × 12 heads"),
        (heatmap_figure(trace, "self", 2, 8, "sqrt"), "layer 2, head 8"),
        (head_view_figure(trace, "self", 2, 8), "layer 2"),
    ):
        for part in ("all-MiniLM-L6-v2", "self-attention", place, f"{count} tokens", "check A·V = O within"):
            assert part in figure.caption
            assert part in str(archive(figure.npz())["caption"])
        assert set(table(figure.csv())["model"]) == {"all-MiniLM-L6-v2"}


def test_a_sink_is_stated_with_its_share_and_rows_are_not_said_to_sum_to_one():
    trace = random_trace(6, causal=True, sinks=torch.tensor([0.5, 1.0, 2.0]).view(1, 3, 1, 1))
    share = float(trace.sink_share(1, [2]).mean())
    assert 0 < share < 1
    facts = dict(head_facts(trace, survey(trace, "self"), 1, 2))
    assert f"{share:.2f} on the sink" in facts
    for figure in (heatmap_figure(trace, "self", 1, 2, "sqrt"), head_view_figure(trace, "self", 1, 2)):
        assert "rows sum to less than 1" in figure.caption
        assert "sums to 1" not in figure.caption


def test_a_limited_layer_is_named():
    trace = random_trace(6, causal=True, kind="sliding window of 4")
    assert "sliding window of 4" in dict(head_facts(trace, survey(trace, "self"), 0, 0))


def test_a_run_kept_in_sixteen_bits_is_drawn_and_marked_but_never_exported():
    trace = random_trace(6, causal=True, exact=False)
    surveyed = survey(trace, "self")
    for figure in (
        overview_figure(trace, surveyed, 0, 0, "sqrt"),
        heatmap_figure(trace, "self", 0, 0, "sqrt"),
        head_view_figure(trace, "self", 0, 0),
    ):
        assert "kept in 16 bits" in figure.caption
        for build in (figure.csv, figure.npz):
            with pytest.raises(HeadlightError, match="kept in 16 bits"):
                build()


def test_file_names_are_safe():
    trace = random_trace(3, causal=False)
    hostile = Trace(
        trace.tokens,
        trace._stream("self"),
        Provenance("../a b/<x>", "0", "float32", "CPU", "sdpa", "causal", (Check(0.0, 1e-5, 2),)),
        trace.output,
    )
    assert heatmap_figure(hostile, "self", 0, 0, "sqrt").stem == "..-a-b-x-_self_layer0_head0"


def test_one_long_token_does_not_multiply_in_the_table(minilm):
    trace = minilm.run("x" * 100_000 + " word" * 200)
    tracemalloc.start()
    size = len(heatmap_figure(trace, "self", 0, 0, "sqrt").csv())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 20_000_000
    assert peak < 100_000_000
