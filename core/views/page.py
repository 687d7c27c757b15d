"""A figure as one HTML file that works without a server and without a network, with everything in it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from core.views.assets import asset, markup_of, script_of, style_of
from core.views.figure import PLOTLY, Figure

# Nothing may be fetched from anywhere: what the page needs is in it.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
# Latin fonts first: those for Chinese have a wide middle dot. The app's own fonts are not in the page.
FONT = 'system-ui, "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", sans-serif'
_ENTRY = "export default function (component)"


def standalone(figure: Figure, selection: Mapping[str, Any]) -> bytes:
    """One page with title, interactive picture, caption, and buttons that save the picture.

    selection: what is selected when the page opens, as in the component "selection".
    """
    exporter = {"name": figure.name, "stem": figure.stem}
    data = f"const pageData = {_literal({'selection': dict(selection), 'exporter': exporter})};"
    is_plotly = figure.component == PLOTLY
    body, scripts = _plotly_parts(figure) if is_plotly else _component_parts(figure)
    styles = ["exporter"] if is_plotly else [figure.component, "exporter"]
    style = "\n".join([*map(style_of, styles), asset("standalone.css"), f":root {{ --st-font: {FONT}; }}"])
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(figure.title)}</title>
<style>
{style}
</style>
</head>
<body>
<main class="page">
<h1>{escape(figure.title)}</h1>
<p>{escape(figure.how_to)}</p>
<div id="figure">{body}</div>
<p class="page-caption">{escape(figure.caption)}</p>
<div id="exporter">{markup_of("exporter")}</div>
</main>
<script>
"use strict";
{data}
{_harmless(scripts)}
</script>
</body>
</html>
"""
    return page.encode()


def _component_parts(figure: Figure) -> tuple[str, str]:
    """What stands in the page for a component, and the scripts that draw it and its buttons."""
    payload = base64.b64encode(figure.payload).decode()
    body = f'{markup_of(figure.component)}<script type="text/plain" id="payload">{payload}</script>'
    draw = f"const drawFigure = {_function_of(figure.component)};\nconst drawExporter = {_function_of('exporter')};"
    return body, f"{draw}\n{asset('standalone.js')}"


def _plotly_parts(figure: Figure) -> tuple[str, str]:
    """The same for a Plotly figure, with Plotly's own script in the page."""
    import plotly.io

    plot = plotly.io.from_json(figure.payload.decode())
    plot.update_layout(font_family=FONT)
    body = plot.to_html(
        full_html=False, include_plotlyjs=True, include_mathjax=False, config={"displaylogo": False, "responsive": True}
    )
    return body, asset("standalone_plotly.js")


def _function_of(component: str) -> str:
    """A component's script as an expression: its names stay its own, as in a module."""
    script = script_of(component)
    if script.count(_ENTRY) != 1:
        raise ValueError(f"the scripts of {component} have {script.count(_ENTRY)} entries, not one")
    return f"(() => {{\n{script.replace(_ENTRY, 'function drawComponent(component)')}\nreturn drawComponent;\n}})()"


def _literal(value: object) -> str:
    """Data as a JavaScript expression that ends no script element, whatever it holds."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _harmless(script: str) -> str:
    return script.replace("</script", "<\\/script")
