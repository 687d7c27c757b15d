"""DeBERTa's three terms and their sum on one scale."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.errors import HeadlightError
from core.positions.objects import Terms
from core.views import terms_figure
from core.views.position_grid import MOST_CELLS
from core.views.position_words import About
from tests.views.plot_of import plot_of
from tests.views.traces import archive, table

ABOUT = About("DeBERTa", "formula", "seed 0", "deberta")
RANDOM = torch.Generator().manual_seed(8)


def terms_of(length, heads=2):
    return Terms(*(torch.randn(heads, length, length, generator=RANDOM) for _ in range(3)))


def test_the_fourth_map_is_the_sum_of_the_others():
    *three, total = (np.array(trace.z) for trace in plot_of(terms_figure(terms_of(5), None, ABOUT, head=1)).data)
    assert np.allclose(sum(three), total, atol=1e-6)


def test_all_share_one_symmetric_scale():
    terms = terms_of(5)
    layout = plot_of(terms_figure(terms, None, ABOUT)).layout
    largest = max(float(each[0].abs().max()) for each in (terms.content_to_content, terms.total))
    assert layout.coloraxis.cmax == -layout.coloraxis.cmin >= largest


def test_labels_are_letter_for_letter():
    figure = terms_figure(terms_of(3), ["<s>", "猫$", "=b"], ABOUT)
    assert list(plot_of(figure).layout.xaxis.ticktext) == ["&lt;s&gt;", "猫&#36;", "=b"]
    assert set(table(figure.csv())["query_token"]) == {"<s>", "猫$", "'=b"}


def test_of_a_long_text_the_beginning_is_drawn_and_all_is_exported():
    figure = terms_figure(terms_of(MOST_CELLS + 4, heads=1), None, ABOUT)
    assert np.array(plot_of(figure).data[0].z).shape == (MOST_CELLS, MOST_CELLS)
    assert f"the first {MOST_CELLS} of {MOST_CELLS + 4} tokens" in figure.caption
    assert archive(figure.npz())["total"].shape == (MOST_CELLS + 4,) * 2


def test_a_head_that_there_is_not_is_refused():
    with pytest.raises(HeadlightError, match="no head 2"):
        terms_figure(terms_of(3), None, ABOUT, head=2)


def test_terms_that_a_model_lacks_are_named():
    terms = Terms(*(torch.zeros(1, 2, 2) for _ in range(3)), ("position_to_content",))
    assert "without position → content" in terms_figure(terms, None, ABOUT).caption
