"""The sidebar of the page: what can be brought, and what becomes of it."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.errors import HeadlightError
from core.models.intake import in_words
from core.ui import own_models
from core.ui.model_menu import IN_THIS_SESSION
from core.ui.models.bringing.dropping import bounds
from core.ui.words import small_print

MOTTO = "Any checkpoint, opened in the browser. Nothing in it is run."
KINDS = (
    (
        "A model folder",
        "config.json, weights and tokenizer, as files, as a folder, or in a zip or tar; sharded or not.",
    ),
    ("Weights alone", "safetensors, .bin, .pt: what they lack is asked for, with the likeliest answer first."),
    ("A GGUF file", "read from its own header, quantised or not."),
    ("An adapter", "LoRA of PEFT, on a model of the catalogue or one that lies beside it."),
    ("A download of the Training page", "the zip, as it is."),
    ("A model of the hub", "by its name and revision."),
)


def words_beside() -> None:
    """Draw them."""
    with st.sidebar:
        small_print(MOTTO, "motto")
        items = "".join(f"<dt>{escape(kind)}</dt><dd>{escape(words)}</dd>" for kind, words in KINDS)
        st.html(f'<dl class="headlight-kinds">{items}</dl>')
        try:
            small_print(in_words(bounds()), "bounds")
        except HeadlightError:  # the uploader says so
            st.empty()


def facts_of_page() -> list[tuple[str, str]]:
    """What stands beside the title: how many models this session has brought or trained, if any."""
    own = len(own_models.names())
    return [(f"{own} of your own", IN_THIS_SESSION)] if own else []
