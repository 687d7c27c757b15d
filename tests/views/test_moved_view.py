"""The figure of what fine-tuning moved: cells at their places, colours by the square root, all of it in the exports."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.models.moved import LayerMove, Moved
from core.views import moved_figure
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table


def move(layer: int | None, part: str, relative: float, stack: str = "") -> LayerMove:
    return LayerMove(layer, stack, part, relative, 1 - relative / 2, relative / 10, 12)


FOUND = Moved(
    layers=(
        move(None, "embedding", 0.04),
        move(0, "attention query", 0.16),
        move(0, "feed-forward", 0.0),
        move(1, "own <b>name</b>", 0.01),
        move(1, "attention query", 0.0),
        move(None, "head", math.inf),
    ),
    only_base=("pooler.weight",),
    only_tuned=("a", "b", "c", "d", "e"),
    other_shape=("classifier.weight",),
    same=False,
    common_rows=("wte.weight: the first 96 rows, which both have, of 96 and 99",),
)
FIGURE = moved_figure(FOUND, "base <i>", "=tuned")


def test_cells_lie_at_their_layer_and_part_and_all_else_in_a_row_of_its_own():
    plot = plot_of(FIGURE)
    layers, numbers, outside, said = plot.data
    assert list(plot.layout.xaxis.ticktext) == ["attention query", "feed-forward", "own &lt;b&gt;name&lt;/b&gt;"]
    assert list(plot.layout.yaxis.ticktext) == ["layer 0", "layer 1"]
    assert list(plot.layout.xaxis2.ticktext) == ["embedding", "head"]
    assert [list(row) for row in layers.z] == [[1.0, 0.0, None], [0.0, None, 0.25]]
    assert [list(row) for row in outside.z] == [[0.5, 1.0]]
    assert list(numbers.text) == ["16", "0", "1", "0"]
    assert list(said.text) == ["4", "∞"]
    assert "own &lt;b&gt;name" in numbers.hovertext[2]
    assert len(plot.layout.shapes) == 2


def test_both_panels_share_one_colour_bar_with_true_values():
    layers, _, outside, _ = plot_of(FIGURE).data
    assert (layers.showscale, outside.showscale) == (True, False)
    assert list(layers.colorbar.ticktext) == ["0", "1", "4", "9", "16"]


def test_stacks_follow_each_other_and_attention_across_them_comes_last():
    moves = [move(0, "norm", 0.1, stack) for stack in ("encoder", "cross", "decoder")]
    plot = plot_of(moved_figure(Moved(tuple(moves), (), (), (), False), "a", "b"))
    assert list(plot.layout.yaxis.ticktext) == ["encoder 0", "decoder 0", "cross 0"]
    assert len(plot.data) == 2


def test_of_many_layers_some_have_names_and_none_numbers():
    moves = tuple(move(layer, "norm", 0.1) for layer in range(100))
    plot = plot_of(moved_figure(Moved(moves, (), (), (), False), "a", "b"))
    assert len(plot.layout.yaxis.ticktext) <= 40
    assert plot.data[1].mode == "markers"


def test_the_caption_says_what_was_compared_how_and_what_was_left_out():
    for part in (
        "base <i> → =tuned",
        "‖W tuned − W base‖ / ‖W base‖",
        "square-root colour scale from 0 to 16 %",
        "2 of 6 parts did not move",
        "∞: the base is 0 there",
        "the first 96 rows, which both have, of 96 and 99",
        "in the base alone: pooler.weight",
        "in the fine-tuned model alone: a, b, c and 2 more",
        "of another shape or packed: classifier.weight",
    ):
        assert part in FIGURE.caption


@pytest.mark.parametrize("moves", [(), (move(None, "head", 0.0),), (move(3, "norm", math.nan),)])
def test_there_may_be_little_to_show(moves: tuple[LayerMove, ...]):
    figure = moved_figure(Moved(moves, (), (), (), True), "a", "b")
    assert len(plot_of(figure).data) == 2 * bool(moves)
    assert "all weights compared are equal" in figure.caption


def test_exports_hold_every_part():
    rows, arrays = table(FIGURE.csv()), archive(FIGURE.npz())
    assert list(rows["part"]) == [each.part for each in FOUND.layers]
    assert set(rows["tuned"]) == {"'=tuned"}
    np.testing.assert_allclose(arrays["relative"], [each.relative for each in FOUND.layers])
    assert list(arrays["layer"]) == [-1, 0, 0, 1, 1, -1]
    assert list(arrays["only_tuned"]) == ["a", "b", "c", "d", "e"]
    assert str(arrays["caption"]) == FIGURE.caption
