"""Sentences on a page, shown letter for letter: never read as Markdown, LaTeX, emoji codes or HTML."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

# Where a sentence says so, the way to that page stands below it.
BRING_AGAIN = "bring its files again on the Models page"
ROLES = {"info": "note", "warning": "status", "error": "alert"}


def note(sentence: str, kind: str = "info") -> None:
    """One sentence in a box. kind: "info", "warning" or "error"."""
    st.html(_boxes([(sentence, kind)]))


def notes(sentences: list[tuple[str, str]], key: str = "notes") -> None:
    """Sentences with their kinds, close together.

    The place is kept when there are none: elements after it would otherwise move up and be built anew.
    """
    with st.container(key=key):
        st.html(_boxes(sentences))
        if any(BRING_AGAIN in sentence for sentence, _ in sentences):
            st.page_link("pages/models.py", label="Models page", icon=":material/deployed_code:")


def _boxes(sentences: list[tuple[str, str]]) -> str:
    boxes = (
        f'<div class="headlight-note {kind}" role="{ROLES[kind]}">{escape(sentence)}</div>'
        for sentence, kind in sentences
    )
    return f'<div class="headlight-notes">{"".join(boxes)}</div>'


def small_print(text: str, name: str) -> None:
    """Small grey text; `name` is a class that tests and styles find it by."""
    st.html(f'<div class="headlight-small {name}">{escape(text)}</div>')


def facts(items: list[tuple[str, str]]) -> None:
    """A row of short facts, each in a quiet frame of its own, with an explanation that pointing at it brings up."""
    frames = (f'<span title="{escape(explained)}" tabindex="0">{escape(fact)}</span>' for fact, explained in items)
    st.html(f'<div class="headlight-facts">{"".join(frames)}</div>')


def literal(text: str) -> str:
    """Markdown that shows a text letter for letter, with neither LaTeX nor emoji codes."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)
