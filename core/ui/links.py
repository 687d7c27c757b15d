"""Texts in links: they go in by Copy link only, and stay in the address while nobody changes them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.ui.arrival import Arrival

# By their names in an address.
TEXTS = {"text": "text", "text_pair": "second text", "target": "answer"}
MOST_CHARACTERS = 2_000
_LINKED = "linked_texts"


def texts_of(arriving: Arrival) -> dict[str, str]:
    """The texts that a link brings, by their names; those that cannot be taken are remarked on and left out."""
    asked = {name: text for name in TEXTS if (text := arriving.get(name)) is not None}
    st.session_state[_LINKED] = {}
    count = sum(map(len, asked.values()))
    if count > MOST_CHARACTERS:
        arriving.remarks.append(
            f"The text of the link has {count:,} characters, more than the {MOST_CHARACTERS:,} that a link may carry: "
            "it is not used."
        )
        return {}
    readable = {name: text for name, text in asked.items() if any(map(str.isprintable, text.strip()))}
    arriving.remarks += [
        f"The {words} of the link holds nothing to read: it is not used."
        for name, words in TEXTS.items()
        if name in asked and name not in readable
    ]
    st.session_state[_LINKED] = readable
    return readable


def kept(own: Mapping[str, str]) -> dict[str, str]:
    """Those of the reader's own texts that a link brought and nobody has changed: they stay in the address."""
    linked = st.session_state.get(_LINKED, {})
    return {name: text for name, text in own.items() if linked.get(name) == text}


def copied(address: Mapping[str, str], own: Mapping[str, str]) -> dict[str, object]:
    """What Copy link copies, as the exporter's data: the parameters, and a sentence where a text is too long."""
    count = sum(map(len, own.values()))
    bare = {name: value for name, value in address.items() if name not in TEXTS}
    if count <= MOST_CHARACTERS:
        return {"link": {**bare, **own}, "link_note": ""}
    note = (
        f"The text has {count:,} characters; a link carries up to {MOST_CHARACTERS:,}, so this one opens the same view "
        "without it."
    )
    return {"link": bare, "link_note": note}
