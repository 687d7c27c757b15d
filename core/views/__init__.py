"""Results become figures: the bytes a browser component draws, the caption that belongs to them, the data to download.

Nothing here knows Streamlit; the JavaScript and CSS in `assets` draw the bytes, and `standalone` makes of a figure a
page that needs no server. In a notebook `heatmap` draws one head with Plotly.
"""

from core.views.agreement_view import STATISTICS, agreement_figure
from core.views.alignment import AlignedPanel, alignment_figure
from core.views.control_view import control_figure
from core.views.curves import RunCurves, curves_figure
from core.views.erasure_view import erasure_figure
from core.views.figure import Figure
from core.views.film import FilmPanel, film_figure
from core.views.head_agreement import head_agreement_figure
from core.views.head_map import head_map_figure
from core.views.head_view import head_view_figure
from core.views.lengths import lengths_figure
from core.views.matrix import heatmap_figure
from core.views.overview import overview_figure
from core.views.page import standalone
from core.views.plotly import heatmap
from core.views.quality import QualityBin, QualityCurve, quality_bins, quality_figure
from core.views.query_key import query_key_figure
from core.views.saliency_scatter import scatter_figure
from core.views.saliency_words import SaliencyRow, SaliencyRows, rows_of, words_figure
from core.views.sanity_view import sanity_figure
from core.views.scales import SCALES, SPANS
from core.views.seconds import seconds_figure
from core.views.steps import Steps, steps_figure
from core.views.text_view import text_figure
from core.views.view import View
from core.views.whole import whole_figure

__all__ = [
    "SCALES",
    "SPANS",
    "STATISTICS",
    "AlignedPanel",
    "Figure",
    "FilmPanel",
    "QualityBin",
    "QualityCurve",
    "RunCurves",
    "SaliencyRow",
    "SaliencyRows",
    "Steps",
    "View",
    "agreement_figure",
    "alignment_figure",
    "control_figure",
    "curves_figure",
    "erasure_figure",
    "film_figure",
    "head_agreement_figure",
    "head_map_figure",
    "head_view_figure",
    "heatmap",
    "heatmap_figure",
    "lengths_figure",
    "overview_figure",
    "quality_bins",
    "quality_figure",
    "query_key_figure",
    "rows_of",
    "sanity_figure",
    "scatter_figure",
    "seconds_figure",
    "standalone",
    "steps_figure",
    "text_figure",
    "whole_figure",
    "words_figure",
]
