"""The figure card: the one way in which a page shows a figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.ui.components import Trigger, mount
from core.ui.words import small_print
from core.views import Figure, standalone

PLOTLY = "plotly"
INK = "#31333f"


def figure_card(
    figure: Figure,
    triggers: Mapping[str, Trigger],
    selection: Mapping[str, object],
    picked: str | None = None,
    draw: Callable[[Figure], None] | None = None,
) -> None:
    """Title, picture, caption and exports in one frame; the figure's name is the card's key.

    selection: what the figures of the page follow, for the interactive page.
    picked: a line on what is picked, or "" to keep its place; None for a figure that has no such line.
    draw: puts the picture into the card where it needs a way of its own.
    """
    with st.container(border=True, key=f"{figure.name}_card"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{figure.name}_head"):
            st.markdown(f"**{figure.title}**", help=figure.how_to, width="content")
            st.space("stretch")
            _exports(figure, selection)
        if draw is None:
            _draw(figure, triggers)
        else:
            draw(figure)
        if picked is not None:
            small_print(picked, "picked")
        small_print(figure.caption, "caption")


def _draw(figure: Figure, triggers: Mapping[str, Trigger]) -> None:
    key = f"{figure.name}_figure"
    if figure.component != PLOTLY:
        mount(figure.component, figure.payload, key, triggers)
        return
    st.plotly_chart(
        _legible(json.loads(figure.payload)),
        key=key,
        on_select=partial(_select_point, key, triggers),
        selection_mode="points",
        config=plotly_config(figure),
    )


def _legible(spec: dict[str, Any]) -> dict[str, Any]:
    """The plot with its words in ink: on light ground Streamlit's own grey is lost in coloured cells."""
    if st.context.theme.type == "dark":
        return spec
    layout = spec.setdefault("layout", {})
    layout["font"] = {"color": INK, **layout.get("font", {})}
    return spec


def plotly_config(figure: Figure) -> dict[str, object]:
    """Plotly's own settings: the button in the plot's bar saves what is on the screen."""
    saved = {"format": "svg", "filename": figure.stem, "scale": 2}
    return {"displaylogo": False, "toImageButtonOptions": saved}


def _select_point(key: str, triggers: Mapping[str, Trigger]) -> None:
    """A point was clicked: its layer and head are the first two of its own data."""
    points = st.session_state[key]["selection"]["points"]
    own = list(points[0].get("customdata") or ()) if points else []
    if len(own) >= 2 and "select" in triggers:
        triggers["select"]({"layer": own[0], "head": own[1]})


def _exports(figure: Figure, selection: Mapping[str, object]) -> None:
    with st.popover("Export", icon=":material/download:", type="tertiary"):
        small_print(figure.contents, "contents")
        _download(figure, "CSV table", "csv", "text/csv", figure.csv, ":material/table:")
        _download(figure, "NumPy archive (npz)", "npz", "application/octet-stream", figure.npz, ":material/dataset:")
        page = partial(standalone, figure, selection)
        _download(figure, "Interactive page (HTML)", "html", "text/html", page, ":material/web:")
        kind = PLOTLY if figure.component == PLOTLY else "canvas"
        # Our own figures say in the browser what they are called: an exporter that stays the same is not sent again.
        words = {"title": figure.title, "caption": figure.caption, "stem": figure.stem} if kind == PLOTLY else {}
        mount("exporter", {"name": figure.name, "kind": kind, **words}, f"{figure.name}_exporter")


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
