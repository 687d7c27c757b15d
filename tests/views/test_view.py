"""A view is refused in one sentence when it asks for what there is not."""

from __future__ import annotations

import pytest

from core.errors import HeadlightError
from core.heads import survey
from core.views import View, captions, heatmap_figure, query_key_figure, text_figure
from tests.views.traces import random_trace


def test_a_scale_or_span_that_there_is_not_is_refused():
    with pytest.raises(HeadlightError, match="There is no scale 'cubic': choose linear, sqrt, log"):
        View("self", 0, 0, "cubic")
    with pytest.raises(HeadlightError, match="There is no span 'column': choose head, row, all, one"):
        View("self", 0, 0, "sqrt", "column")


def test_a_head_that_the_layer_lacks_is_refused():
    trace = random_trace(4, causal=False)
    surveyed, view = survey(trace, "self"), View("self", 0, 3)
    for draw in (
        lambda: heatmap_figure(trace, view, surveyed),
        lambda: text_figure(trace, view, None, None),
        lambda: query_key_figure(trace, view, 1),
        lambda: captions.measure_rows(trace, surveyed, view),
    ):
        with pytest.raises(HeadlightError, match="Layer 0 has no head 3, only 0 to 2: choose another"):
            draw()


def test_views_that_look_at_the_same_are_equal():
    assert View("self", 1, None) == View("self", 1, None, "sqrt", "head")
