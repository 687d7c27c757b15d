"""A figure before anybody shows it: picture, words and data travel together, so none is ever shown without the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The component of a figure that Plotly draws.
PLOTLY = "plotly"


@dataclass(frozen=True)
class Figure:
    """What a figure card shows.

    name        the card's key, and the name by which the browser exports the picture; one figure a page has it
    component   name of the component in `assets` that draws the payload; "plotly" for a figure that Plotly draws
    title       a few words
    how_to      one or two sentences: how to read and use it
    payload     what the component draws, see `core.views.payload`; for "plotly" the figure as Plotly's JSON
    caption     model, layer, head, scale, normalisation, exclusions, number of tokens, check
    contents    one or two sentences: what the downloads hold
    stem        file name of downloads, without its ending
    csv, npz    build the data when somebody asks for it
    """

    name: str
    component: str
    title: str
    how_to: str
    payload: bytes
    caption: str
    contents: str
    stem: str
    csv: Callable[[], bytes]
    npz: Callable[[], bytes]
