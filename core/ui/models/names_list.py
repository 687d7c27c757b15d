"""A long list of tensors' names to look into: counted, filtered as one types, and as a table to download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from core.models.quoting import shown
from core.ui.words import literal, small_print
from core.views.export import csv_bytes, guarded

MOST_SHOWN = 300
LONGEST = 160
# Shorter lists need no filter.
FEW = 12


def names_list(key: str, title: str, names: Sequence[str], said: Callable[[str], str] = lambda name: "") -> None:
    """An expander with names, letter for letter; nothing where there are none.

    said: what stands behind a name, such as its shapes.
    """
    if not names:
        return
    with st.expander(literal(f"{title} ({len(names):,})"), key=key):
        wanted = ""
        if len(names) > FEW:
            wanted = st.text_input(
                "Filter", key=f"{key}-filter", placeholder="Part of a name", width=320, persist_state="session"
            )
        found = [name for name in names if wanted.strip().lower() in name.lower()]
        items = "".join(_item(name, said(name)) for name in found[:MOST_SHOWN])
        # A list that scrolls must be reached by keyboard.
        st.html(f'<ul class="headlight-names" tabindex="0" aria-label="{escape(title)}">{items}</ul>')
        more = (
            f"The first {MOST_SHOWN} of {len(found):,} names; all are in the table." if len(found) > MOST_SHOWN else ""
        )
        if not found or more:
            small_print(more or "No name has that in it.", "caption")
        st.download_button(
            "CSV table", lambda: _table(names, said), "tensors.csv", "text/csv", key=f"{key}-csv", on_click="ignore",
            icon=":material/table:",
        )  # fmt: skip


def _item(name: str, said: str) -> str:
    behind = f" <span>{escape(said)}</span>" if said else ""
    return f"<li><code><bdi>{escape(_letters(name))}</bdi></code>{behind}</li>"


def _letters(name: str) -> str:
    """A name in full, unless it is endless or holds what nobody sees."""
    return name if name.isprintable() and len(name) <= LONGEST else shown(name)


def _table(names: Sequence[str], said: Callable[[str], str]) -> bytes:
    return csv_bytes({"tensor": [guarded(name) for name in names], "said": [guarded(said(name)) for name in names]})
