"""What the model answered: labels or next tokens with their probabilities, and the text that it wrote."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from core.capture import Output

TITLES = {"labels": "The model's answer", "next tokens": "What comes next"}


def show_answer(output: Output, model: str) -> None:
    """A card with the likeliest labels or next tokens; nothing for a model that gives no such answer."""
    if not output.likeliest:
        return
    with st.container(border=True, key="answer_card"):
        st.markdown(f"**{TITLES[output.kind]}**")
        if output.written is not None:
            st.html(f'<p class="headlight-written" dir="auto">{escape(output.written)}</p>')
        rows = "".join(_row(name, share) for name, share in output.likeliest)
        st.html(f'<table class="headlight-shares">{rows}</table>')
        what = "labels" if output.kind == "labels" else "tokens after the last one"
        st.html(f'<div class="headlight-small caption">{escape(model)} · the likeliest {what}, with probability</div>')


def _row(name: str, share: float) -> str:
    return (
        f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th>'
        f'<td><div class="bar" style="width:{100 * share:.1f}%"></div></td><td class="number">{share:.3f}</td></tr>'
    )
