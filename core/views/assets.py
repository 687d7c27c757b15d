"""The scripts and styles of the browser components, put together from the files in `assets`."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
# In front of the scripts of every component.
SHARED_SCRIPTS = ("colour.js", "life.js", "shared.js", "selecting.js", "exporting.js")
# It draws nothing, and travels with every click.
LIGHT = "selection"
# The last file of each has the one `export default function (component)`.
SCRIPTS = {
    "overview": ("overview_layout.js", "overview_drawing.js", "overview.js"),
    "heatmap": (
        "heatmap_scale.js",
        "heatmap_drawing.js",
        "heatmap_marks.js",
        "heatmap_words.js",
        "heatmap_zoom.js",
        "heatmap_picking.js",
        "heatmap_export.js",
        "heatmap.js",
    ),
    "headview": (
        "headview_controls.js",
        "headview_lines.js",
        "headview_words.js",
        "headview_drawing.js",
        "headview_export.js",
        "headview.js",
    ),
    "text": (
        "text_choice.js",
        "text_layout.js",
        "text_weights.js",
        "text_setting.js",
        "text_export.js",
        "text.js",
    ),
    "querykey": (
        "text_choice.js",
        "querykey_numbers.js",
        "querykey_drawing.js",
        "querykey_export.js",
        "querykey_reading.js",
        "querykey.js",
    ),
    "film": (
        "film_frames.js",
        "film_drawing.js",
        "film_words.js",
        "film_strip.js",
        "film_playing.js",
        "film_picking.js",
        "film_export.js",
        "film.js",
    ),
    "alignment": (
        "heatmap_scale.js",
        "film_frames.js",
        "film_drawing.js",
        "film_picking.js",
        "alignment_words.js",
        "alignment_export.js",
        "alignment.js",
    ),
    "steps": (
        "heatmap_scale.js",
        "film_frames.js",
        "film_playing.js",
        "steps_words.js",
        "steps_parts.js",
        "steps_next.js",
        "steps_export.js",
        "steps.js",
    ),
    "saliency": (
        "heatmap_scale.js",
        "saliency_layout.js",
        "saliency_drawing.js",
        "saliency_reading.js",
        "saliency_picking.js",
        "saliency_export.js",
        "saliency.js",
    ),
    "order": ("order_moving.js", "order_dragging.js", "order_keys.js", "order.js"),
    LIGHT: ("selection.js",),
    "exporter": ("svg_context.js", "exporter_plot.js", "exporter.js"),
}
# Styles that a component takes over from another, before its own.
BORROWED_STYLES = {"alignment": ("film.css",), "steps": ("film.css",)}


def script_of(name: str) -> str:
    """The JavaScript module of a component: shared files first, without comments and indents.

    It travels with each message to the component, so its size is part of what a click costs.
    """
    shared = ("life.js", "selecting.js") if name == LIGHT else SHARED_SCRIPTS
    lines = (line.strip() for line in _joined((*shared, *SCRIPTS[name])).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def style_of(name: str) -> str:
    """The CSS of a component: shared rules first, then borrowed ones, then its own."""
    if name == LIGHT:
        return asset("selection.css")
    return _joined(("shared.css", *BORROWED_STYLES.get(name, ()), f"{name}.css"))


def markup_of(name: str) -> str:
    """The element that a component's script fills."""
    return f'<div class="headlight {name}"></div>'


def asset(file: str) -> str:
    """The text of one file."""
    return (ASSETS / file).read_text("utf-8")


def _joined(files: tuple[str, ...]) -> str:
    return "\n".join(map(asset, files))
