"""Vectors by offset: norms, and cosines with the vector of offset 0."""

from __future__ import annotations

import pytest
import torch

from core.positions.objects import Buckets, OffsetVectors
from core.views import offset_vectors_figure
from core.views.position_words import About
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

ABOUT = About("Shaw", "=model", "clip 1", "shaw")
ROWS = torch.tensor([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]])
VECTORS = OffsetVectors(ROWS, Buckets(torch.tensor([0, 0, 1, 2, 2]), (0, 1), 3))


def test_norms_and_cosines_are_by_offset():
    norms, cosines = plot_of(offset_vectors_figure(VECTORS, ABOUT)).data
    assert list(norms.x) == [-2, -1, 0, 1, 2]
    assert list(norms.y) == [5, 5, 1, 0, 0]
    assert list(cosines.y)[:3] == pytest.approx([0.6, 0.6, 1])
    assert cosines.y[3] is None


def test_masked_offsets_are_left_out():
    causal = OffsetVectors(ROWS, Buckets(torch.tensor([0, 0, 1, 2, 2]), (0, 1), 3, causal=True))
    assert list(plot_of(offset_vectors_figure(causal, ABOUT)).data[0].x) == [-2, -1, 0]


def test_the_exports_hold_every_offset():
    figure = offset_vectors_figure(VECTORS, ABOUT)
    rows = table(figure.csv())
    assert rows["row"].tolist() == [0, 0, 1, 2, 2]
    assert rows["source"][0] == "'=model"
    assert archive(figure.npz())["vectors"].tolist() == ROWS.tolist()
