"""Results become figures: the bytes a browser component draws, the caption that belongs to them, the data to download.

Nothing here knows Streamlit; the JavaScript and CSS in `assets` draw the bytes.
"""

from core.views.figure import Figure
from core.views.head_view import head_view_figure
from core.views.heatmap import heatmap_figure
from core.views.overview import overview_figure
from core.views.scales import SCALES

__all__ = ["SCALES", "Figure", "head_view_figure", "heatmap_figure", "overview_figure"]
