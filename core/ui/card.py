"""The figure card: the one way in which a page shows a figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from core.ui.components import Trigger, mount
from core.ui.words import small_print
from core.views import Figure, standalone

PLOTLY = "plotly"


@dataclass(frozen=True)
class Context:
    """What all figures of a page have in common.

    selection: what the browser's figures follow, for the interactive page.
    copied: the exporter's data on the link: `link`, the parameters, and `link_note`, a sentence or "".
    """

    selection: dict[str, object] = field(default_factory=dict)
    copied: Mapping[str, object] = field(default_factory=lambda: {"link": {}, "link_note": ""})


def figure_card(figure: Figure, triggers: Mapping[str, Trigger], context: Context, picked: str | None = None) -> None:
    """Title, picture, caption and exports in one frame; the figure's name is the card's key.

    picked: a line on what is picked, or "" to keep its place; None for a figure that has no such line.
    """
    with st.container(border=True, key=f"{figure.name}_card"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{figure.name}_head"):
            st.markdown(f"**{figure.title}**", help=figure.how_to, width="content")
            st.space("stretch")
            _exports(figure, context)
        _draw(figure, triggers)
        if picked is not None:
            small_print(picked, "picked")
        small_print(figure.caption, "caption")


def _draw(figure: Figure, triggers: Mapping[str, Trigger]) -> None:
    key = f"{figure.name}_figure"
    if figure.component != PLOTLY:
        mount(figure.component, figure.payload, key, triggers)
        return
    # The picture's own button in the plot's bar saves what is on the screen.
    saved = {"format": "svg", "filename": figure.stem, "scale": 2}
    st.plotly_chart(
        json.loads(figure.payload),
        key=key,
        on_select=partial(_select_point, key, triggers),
        selection_mode="points",
        config={"displaylogo": False, "toImageButtonOptions": saved},
    )


def _select_point(key: str, triggers: Mapping[str, Trigger]) -> None:
    """A point was clicked: its layer and head are the first two of its own data."""
    points = st.session_state[key]["selection"]["points"]
    own = list(points[0].get("customdata") or ()) if points else []
    if len(own) >= 2 and "select" in triggers:
        triggers["select"]({"layer": own[0], "head": own[1]})


def _exports(figure: Figure, context: Context) -> None:
    with st.popover("Export", icon=":material/download:", type="tertiary"):
        small_print(figure.contents, "contents")
        _download(figure, "CSV table", "csv", "text/csv", figure.csv, ":material/table:")
        _download(figure, "NumPy archive (npz)", "npz", "application/octet-stream", figure.npz, ":material/dataset:")
        page = partial(standalone, figure, context.selection)
        _download(figure, "Interactive page (HTML)", "html", "text/html", page, ":material/web:")
        kind = PLOTLY if figure.component == PLOTLY else "canvas"
        words = {"title": figure.title, "caption": figure.caption}
        exporter = {"name": figure.name, "stem": figure.stem, "kind": kind, **words, **context.copied}
        mount("exporter", exporter, f"{figure.name}_exporter")


def _download(figure: Figure, label: str, ending: str, kind: str, build: Callable[[], bytes], icon: str) -> None:
    st.download_button(
        label,
        build,
        f"{figure.stem}.{ending}",
        kind,
        key=f"{figure.name}_{ending}",
        on_click="ignore",
        icon=icon,
        width="stretch",
    )
