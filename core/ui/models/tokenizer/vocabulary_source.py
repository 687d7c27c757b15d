"""Where the tokens come from: a file of the upload, another small file, or a list that somebody types."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import streamlit as st

from core.errors import HeadlightError
from core.models.intake import Intake, Limits
from core.models.quoting import shown
from core.ui import resources
from core.ui.models.kept_forms import FILES
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.models.finding import Candidate

TYPED = "typed"
MOST_MB, MOST_FILES, CHUNK = 64, 4, 1 << 20
LONGEST_TYPED = 200_000
ENDINGS = ("txt", "json", "model", "spm", "vocab", "tsv", "pkl")
TYPE_THEM = "Type the tokens, one a line, or upload a file with them."
UPLOAD_HELP = (
    "vocab.txt with one token a line, vocab.json (with merges.txt, where it has one), tokenizer.json, or a "
    "SentencePiece .model, or nanoGPT's meta.pkl, of which nothing is run."
)
TYPED_HELP = (
    "One token a line, in the order of their ids: the first has id 0. Special tokens are listed as well. A space on a "
    "line of its own is the token of a space; \\n, \\t and \\r stand for the newline, the tab and the carriage return."
)
# No list with a token a line can hold them as they are.
_WRITTEN = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}


def vocabulary_source(
    candidate: Candidate, slot: str, *, may_be_typed: bool, first: str = "", missing: str = TYPE_THEM
) -> Path | tuple[str, ...] | None:
    """Draw the choice of a vocabulary, and return its file or its tokens; None while there is none.

    may_be_typed: whether a plain list of tokens will do. first: what stands in the list before anybody types.
    missing: what is said while there is none.
    """
    uploaded = _uploaded(slot)
    files = {str(path): path for path in (*uploaded, *candidate.vocabularies)}
    options = [*files, *([TYPED] if may_be_typed else [])]
    if not options:
        note("Choose a vocabulary file: none lies beside the weights.", "info")
        return None
    chosen = options[0]
    if len(options) > 1:
        chosen = st.selectbox(
            "Vocabulary",
            options,
            format_func=lambda option: "A list that I type" if option == TYPED else shown(files[option].name),
            width=420,
            key=f"{slot}-vocabulary",
            persist_state="session",
        )
    if chosen != TYPED:
        return files[chosen]
    text = st.text_area(
        "Tokens", first, height=160, max_chars=LONGEST_TYPED, help=TYPED_HELP, key=f"{slot}-tokens",
        persist_state="session",
    )  # fmt: skip
    # A blank line at the end is how a list ends, and no token.
    lines = text.rstrip("\n").split("\n") if text.strip("\n") else []
    tokens = tuple(_WRITTEN.get(line, line) for line in lines)
    if not tokens:
        note(missing, "info")
        return None
    return tokens


def _uploaded(slot: str) -> tuple[Path, ...]:
    """The files of the small uploader, each in a folder of this browser session; merges lie beside their vocabulary."""
    given = st.file_uploader(
        "Upload a vocabulary file", ENDINGS, accept_multiple_files=True, max_upload_size=MOST_MB, help=UPLOAD_HELP,
        key=f"{slot}-vocabulary-upload",
    )  # fmt: skip
    place = f"{slot}{FILES}"
    now = tuple(file.file_id for file in given)
    kept: tuple[tuple[str, ...], Intake] | None = st.session_state.get(place)
    # On other pages there is no uploader, and it comes back empty: what it gave stays.
    if now and (kept is None or kept[0] != now):
        if kept is not None:
            kept[1].close()
        kept = st.session_state[place] = (now, _taken([(file.name, file) for file in given]))
    if kept is None:
        return ()
    if not now:
        small_print(f"Still used: {', '.join(shown(path.name) for path in kept[1].files)}.", "caption")
    return tuple(path for path in kept[1].files if path.name != "merges.txt")


def _taken(files: list[tuple[str, BinaryIO]]) -> Intake:
    intake = Intake(Limits(nbytes=MOST_FILES * MOST_MB * 1_000_000, entries=MOST_FILES))
    resources.session().at_end(intake.close)
    for name, file in files:
        try:
            intake.add(name, _chunks(file))
        except HeadlightError as error:
            note(str(error), "error")
    return intake


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while chunk := file.read(CHUNK):
        yield chunk
