"""Whether keys after the query are masked: as each scheme was published, until somebody says otherwise for all."""

from __future__ import annotations

import streamlit as st

from core.positions import SCHEMES
from core.ui.positions.fields import FIELDS, causal_of, value_words
from core.ui.positions.state import key_of

OWN = "own"


def causal_switch(schemes: tuple[str, ...]) -> None:
    """The switch over the schemes that are shown. Where they differ, each as it is published is a third choice."""
    state, kept = st.session_state, key_of("causal")
    own = {causal_of(scheme, None) for scheme in schemes if "causal" in SCHEMES[scheme].uses}
    # Nothing would be no choice.
    options = (OWN, *FIELDS["causal"].options) if len(own) > 1 else FIELDS["causal"].options
    published = OWN if len(own) > 1 else own.pop()
    key = f"positions_causal_of_{'-'.join(schemes)}"
    state[key] = published if state[kept] is None else state[kept]

    def take() -> None:
        state[kept] = None if state[key] == published else state[key]

    st.segmented_control(
        FIELDS["causal"].label,
        options,
        format_func=lambda value: "Own" if value == OWN else value_words(value),
        key=key,
        on_change=take,
        required=True,
        width="stretch",
        help=FIELDS["causal"].help,
    )
