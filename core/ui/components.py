"""Mounts the browser components of `core/views/assets` into a Streamlit page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

import core.views

ASSETS = Path(core.views.__file__).parent / "assets"
SHARED_SCRIPTS = ("colour.js", "shared.js")
SCRIPTS = {
    "overview": ("overview.js",),
    "heatmap": ("heatmap_drawing.js", "heatmap.js"),
    "headview": ("headview_lines.js", "headview.js"),
}


def mount(name: str, payload: bytes, key: str, on_select: Callable[[], None] | None = None) -> Any:
    """Draw a payload with the component of that name.

    on_select: called before the next run when a person chose something; `st.session_state[key]["select"]` says what.
    """
    triggers = {"on_select_change": on_select} if on_select else {}
    return _COMPONENTS[name](data=payload, key=key, **triggers)


def _declare(name: str) -> Callable[..., Any]:
    script = "\n".join((ASSETS / file).read_text("utf-8") for file in (*SHARED_SCRIPTS, *SCRIPTS[name]))
    style = "\n".join((ASSETS / file).read_text("utf-8") for file in ("shared.css", f"{name}.css"))
    html = f'<div class="headlight {name}"></div>'
    return st.components.v2.component(f"headlight_{name}", html=html, css=style, js=script)


_COMPONENTS = {name: _declare(name) for name in SCRIPTS}
