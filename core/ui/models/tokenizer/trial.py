"""What a chosen tokenizer makes of a text that somebody types: its tokens, letter for letter, with their ids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.errors import HeadlightError
from core.ui.models.kept_forms import once
from core.ui.models.tokenizer.facts import Piece, pieces_of
from core.ui.models.tokenizer.texts import PLAIN, suited_text
from core.ui.progress import with_progress
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.models.tokenizing import TokenizerChoice

LONGEST_TEXT, MOST_CHIPS = 400, 120
# The end of the name under which the text that was tried is kept.
TRIED = "-tried"
TRIAL_HELP = "Nothing is kept of it. It runs in a process of its own, for at most two seconds."


def trial(title: str, slot: str, way: str, choice: TokenizerChoice, rows: int) -> bool:
    """Draw the trial; whether the tokenizer could be built and came to an end.

    slot: of the candidate. way: tells this kind of tokenizer from others. rows: of the model's table of embeddings, 0
    where they are not known.
    """
    kept, slot = f"{slot}{TRIED}", f"{slot}-{way}-{rows}"
    _suggest(f"{slot}-trial", f"{slot}-suggested", suited_text(choice))
    text = st.text_input(
        "Try it on a text", max_chars=LONGEST_TEXT, help=TRIAL_HELP, key=f"{slot}-trial", persist_state="session"
    )
    st.session_state[kept] = None if text == PLAIN else text
    try:
        pieces = once(slot, "pieces", (choice, text), partial(_tried, title, slot, choice, text))
    except HeadlightError as error:
        note(str(error), "error")
        return False
    if pieces:
        st.html(chips(pieces, rows))
        if beyond := sum(_is_beyond(piece, rows) for piece in pieces):
            note(
                f"{beyond:,} of {len(pieces):,} tokens have no row in the model's table, which has {rows:,}: a text "
                "with them is refused.",
                "warning",
            )
    count = f"{len(pieces):,} token{'' if len(pieces) == 1 else 's'}"
    more = f"; the first {MOST_CHIPS} are shown" if len(pieces) > MOST_CHIPS else ""
    small_print(f"{count}{more}." if pieces else "No token: type a text to see what becomes of it.", "caption")
    return True


def _suggest(field: str, place: str, text: str) -> None:
    """Put a text into the field, unless somebody has typed there; place: where the last one that was put is kept."""
    if field not in st.session_state or st.session_state[field] == st.session_state.get(place):
        st.session_state[field] = text
    st.session_state[place] = text


def chips(pieces: Sequence[Piece], rows: int) -> str:
    """HTML of a row of tokens, each with its id where that is known."""
    items = "".join(_chip(piece, rows) for piece in pieces[:MOST_CHIPS])
    return f'<ol class="headlight-tokens" aria-label="Tokens of the text">{items}</ol>'


def _chip(piece: Piece, rows: int) -> str:
    from core.text.labels import bounded, visible  # brings torch along

    letters = escape(bounded(visible(piece.text)) if piece.text else "∅")
    number = "" if piece.id is None else f"<small>{piece.id}</small>"
    kind = ' class="beyond"' if _is_beyond(piece, rows) else ""
    return f"<li{kind}><bdi>{letters}</bdi>{number}</li>"


def _is_beyond(piece: Piece, rows: int) -> bool:
    return piece.id is not None and 0 < rows <= piece.id


def _tried(title: str, slot: str, choice: TokenizerChoice, text: str) -> tuple[Piece, ...]:
    def work(job: Any) -> tuple[Piece, ...]:
        job.advance(0, 1, "trying the tokenizer in a process of its own")
        return pieces_of(choice, text, job)

    return with_progress(title, work, key=f"{slot}-trying")
