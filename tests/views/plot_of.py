"""A figure's Plotly plot with its binary arrays read back."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.views import Figure


def plot_of(figure: Figure) -> go.Figure:
    """The plot as Plotly's objects; arrays are NumPy's."""
    return go.Figure(_read(json.loads(figure.payload)))


def _read(part: Any) -> Any:
    if isinstance(part, list):
        return [_read(each) for each in part]
    if not isinstance(part, dict):
        return part
    if "bdata" not in part:
        return {name: _read(each) for name, each in part.items()}
    values = np.frombuffer(base64.b64decode(part["bdata"]), part["dtype"])
    return values.reshape([int(side) for side in part["shape"].split(",")]) if "shape" in part else values
