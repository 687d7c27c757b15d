"""From here to the Attention page: the same model, sentence and translation, with the encoder's self-attention open."""

from __future__ import annotations

import streamlit as st

from core.ui import address, own_texts
from core.ui.alignment.running import Run

ATTENTION_PAGE = "pages/attention.py"


def open_button(run: Run) -> None:
    """The button, with what it opens in its words; nothing for a model without attention."""
    streams = run.trace.streams
    if not streams:
        st.empty()
        return
    has_encoder = "encoder" in streams
    label = "Self-attention" if has_encoder else "Attention page"
    help_ = (
        f"{'The self-attention of the encoder' if has_encoder else 'Every weight'} for the same sentence and output."
    )
    if st.button(label, icon=":material/grid_view:", key="open_on_attention", type="tertiary", help=help_):
        address.send("", parameters_of(run))
        st.switch_page(ATTENTION_PAGE)


def parameters_of(run: Run) -> dict[str, str]:
    """What opens the same run there. Its texts go by a number, so that none of them comes into the address."""
    reading, streams = run.reading, run.trace.streams
    said = run.trace.said
    # What went on after another word cannot be asked for there, but it can be said again.
    target = reading.target or (said.text if reading.prefix and said is not None else "")
    texts = {"text": reading.text, **({"target": target} if target else {})}
    beams = {"decoding": "beam", "beams": str(reading.beams)} if reading.decoding == "beam" and not target else {}
    stream = {"stream": "encoder"} if "encoder" in streams else {}
    return {"model": reading.model, **beams, **stream, own_texts.NUMBER: own_texts.number_of(texts)}
