"""Results become figures: the bytes a browser component draws, the caption that belongs to them, the data to download.

Nothing here knows Streamlit; the JavaScript and CSS in `assets` draw the bytes, and `standalone` makes of a figure a
page that needs no server. In a notebook `heatmap` draws one head with Plotly.
"""

from core.views.agreement_view import STATISTICS, agreement_figure
from core.views.alignment import AlignedPanel, alignment_figure
from core.views.attention_by_distance import attention_by_distance_figure
from core.views.control_view import control_figure
from core.views.curves import RunCurves, curves_figure
from core.views.distance_bias import bias_by_distance_figure
from core.views.erasure_view import erasure_figure
from core.views.extrapolation_view import Twin, extrapolation_figure, trained_length, twin_of
from core.views.figure import Figure
from core.views.film import FilmPanel, film_figure
from core.views.head_agreement import head_agreement_figure
from core.views.head_map import head_map_figure
from core.views.head_view import head_view_figure
from core.views.lengths import lengths_figure
from core.views.matrix import heatmap_figure
from core.views.moved_view import moved_figure
from core.views.offset_vectors import offset_vectors_figure
from core.views.order_chips import order_payload
from core.views.order_view import order_figure
from core.views.overview import overview_figure
from core.views.page import standalone
from core.views.plotly import heatmap
from core.views.position_curves import position_curves_figure
from core.views.position_decay import position_decay_figure
from core.views.position_matrix import position_matrix_figure
from core.views.position_pair import position_pair_figure
from core.views.position_path import position_path_figure
from core.views.position_similarity import position_similarity_figure
from core.views.position_spectrum import position_spectrum_figure
from core.views.position_words import About
from core.views.quality import QualityBin, QualityCurve, quality_bins, quality_figure
from core.views.query_key import query_key_figure
from core.views.saliency_scatter import scatter_figure
from core.views.saliency_words import SaliencyRow, SaliencyRows, rows_of, words_figure
from core.views.sanity_view import sanity_figure
from core.views.scales import SCALES, SPANS
from core.views.seconds import seconds_figure
from core.views.steps import Steps, steps_figure
from core.views.terms_view import terms_figure
from core.views.text_view import text_figure
from core.views.view import View
from core.views.wavelengths_view import wavelengths_figure
from core.views.whole import whole_figure

__all__ = [
    "SCALES",
    "SPANS",
    "STATISTICS",
    "About",
    "AlignedPanel",
    "Figure",
    "FilmPanel",
    "QualityBin",
    "QualityCurve",
    "RunCurves",
    "SaliencyRow",
    "SaliencyRows",
    "Steps",
    "Twin",
    "View",
    "agreement_figure",
    "alignment_figure",
    "attention_by_distance_figure",
    "bias_by_distance_figure",
    "control_figure",
    "curves_figure",
    "erasure_figure",
    "extrapolation_figure",
    "film_figure",
    "head_agreement_figure",
    "head_map_figure",
    "head_view_figure",
    "heatmap",
    "heatmap_figure",
    "lengths_figure",
    "moved_figure",
    "offset_vectors_figure",
    "order_figure",
    "order_payload",
    "overview_figure",
    "position_curves_figure",
    "position_decay_figure",
    "position_matrix_figure",
    "position_pair_figure",
    "position_path_figure",
    "position_similarity_figure",
    "position_spectrum_figure",
    "quality_bins",
    "quality_figure",
    "query_key_figure",
    "rows_of",
    "sanity_figure",
    "scatter_figure",
    "seconds_figure",
    "standalone",
    "steps_figure",
    "terms_figure",
    "text_figure",
    "trained_length",
    "twin_of",
    "wavelengths_figure",
    "whole_figure",
    "words_figure",
]
