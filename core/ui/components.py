"""Mounts the browser components of `core/views/assets` into a Streamlit page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from core.views.assets import SCRIPTS, markup_of, script_of, style_of

Trigger = Callable[[Any], None]


def mount(
    name: str, data: bytes | Mapping[str, object], key: str, triggers: Mapping[str, Trigger] | None = None
) -> None:
    """Draw data with the component of that name: a figure's payload, or a small dictionary.

    triggers: by name, what is called with the browser's value before the next run when a person did something.
    """
    listeners = {
        f"on_{trigger}_change": partial(_tell, key, trigger, then) for trigger, then in (triggers or {}).items()
    }
    _COMPONENTS[name](data=data, key=key, **listeners)


def _tell(key: str, trigger: str, then: Trigger) -> None:
    then(st.session_state[key][trigger])


def _declare(name: str) -> Callable[..., Any]:
    return st.components.v2.component(f"headlight_{name}", html=markup_of(name), css=style_of(name), js=script_of(name))


_COMPONENTS = {name: _declare(name) for name in SCRIPTS}
