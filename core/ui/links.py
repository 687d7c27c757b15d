"""Texts in links: they go in by Copy link only, and stay in the address while nobody changes them.

In every other address a text of the reader's own is a number, which this browser session alone can read.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.ui import own_texts
from core.ui.arrival import Arrival

# By their names in an address.
TEXTS = {"text": "text", "text_pair": "second text", "target": "answer"}
MOST_CHARACTERS = 2_000
# What is picked in a text means nothing without it.
PICKED = ("query", "key", "row", "col")
_LINKED = "linked_texts"


def texts_of(arriving: Arrival, names: Mapping[str, str] = TEXTS) -> dict[str, str]:
    """The texts that a link brings, by their names; those that cannot be taken are remarked on and left out.

    names: those that the page has, in words by their names in an address.
    """
    asked = {name: text for name in names if (text := arriving.get(name)) is not None}
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
        for name, words in names.items()
        if name in asked and name not in readable
    ]
    st.session_state[_LINKED] = readable
    return readable


def in_address(own: Mapping[str, str]) -> dict[str, str]:
    """The parameters that bring back the reader's own texts: themselves where a link brought all, else a number."""
    if not own:
        return {}
    linked = st.session_state.get(_LINKED, {})
    return dict(own) if own.items() <= linked.items() else {own_texts.NUMBER: own_texts.number_of(own)}


def copied(address: Mapping[str, str], own: Mapping[str, str]) -> dict[str, object]:
    """What Copy link copies: `parameters`, and `note`, a sentence on the text if it is one's own, else ""."""
    count = sum(map(len, own.values()))
    bare = {name: value for name, value in address.items() if name not in (*TEXTS, *own, own_texts.NUMBER)}
    if count <= MOST_CHARACTERS:
        carried = f"It carries your text{'s' if len(own) > 1 else ''}." if own else ""
        return {"parameters": {**bare, **own}, "note": carried}
    note = (
        f"The text has {count:,} characters; a link carries up to {MOST_CHARACTERS:,}, so this one opens the same view "
        "without it."
    )
    return {"parameters": {name: value for name, value in bare.items() if name not in PICKED}, "note": note}
