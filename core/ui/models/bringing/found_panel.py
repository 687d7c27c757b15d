"""What came: the files with what each is, and which of the models in them is to be opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from core.models.finding import Candidate, FoundFile
from core.models.intake.limits import megabytes
from core.models.quoting import shown
from core.ui.models import state
from core.ui.models.state import Arrived
from core.ui.words import literal, note, small_print

KINDS = {
    "safetensors": "weights",
    "pickle": "weights",
    "gguf": "weights",
    "index": "index of shards",
    "config": "config",
    "tokenizer": "tokenizer",
    "vocabulary": "vocabulary",
    "adapter": "adapter",
    "adapter config": "adapter config",
    "training": "training record",
    "settings": "settings",
    "archive": "archive",
    "other": "not read",
    "refused": "refused",
}
MOST_ROWS = 40
# Behind a slash and before a capital that follows small letters; what `escape` writes has neither.
_SEAMS = re.compile(r"(?<=[a-z]{3})(?=[A-Z])|(?<=/)(?=[^<\s])")
# The gravest first, then what a model is made of.
_SEVERITIES = ("error", "warning", "info")
_PARTS = tuple(KINDS)


def found_panel(came: Arrived) -> Candidate | None:
    """The card with the table; the candidate that is chosen, None where there is none."""
    with st.container(border=True, key="models_found_card"):
        _head(came)
        st.html(files_table((*came.refused, *came.found.files)))
        if came.left_out:
            files = "1 hidden file was" if came.left_out == 1 else f"{came.left_out:,} hidden files were"
            small_print(f"{files} left out.", "caption")
        if came.found.sentence and came.found.sentence not in {file.sentence for file in came.found.files}:
            note(came.found.sentence, "error" if _is_refused((*came.refused, *came.found.files)) else "warning")
        return _candidate(came)


def done_panel(came: Arrived, again: Callable[[], None]) -> None:
    """The card once a model of what came is open: a line, and the way back to the forms."""
    several = len(came.found.candidates) > 1
    with st.container(border=True, key="models_found_card"):
        _head(came)
        st.button(
            f"Open another of its {len(came.found.candidates)} models" if several else "Open it differently",
            icon=":material/tune:",
            on_click=again,
            key="models_again",
        )


def _head(came: Arrived) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="models_found_head"):
        st.markdown(f"**What came: {literal(came.title)}**", width="content")
        st.space("stretch")
        st.button(
            "Close",
            icon=":material/close:",
            type="tertiary",
            on_click=state.put_away,
            help="Delete these files. Models that were opened from them stay.",
            key="models_put_away",
        )


def files_table(files: Sequence[FoundFile]) -> str:
    """The files as HTML, what was refused first."""
    ranked = sorted(files, key=lambda file: (_SEVERITIES.index(file.severity), _PARTS.index(file.kind), file.path))
    head = "".join(f'<th scope="col">{name}</th>' for name in ("File", "Kind", "What it holds", "Size"))
    rows = "".join(map(_row, ranked[:MOST_ROWS]))
    more = len(ranked) - MOST_ROWS
    rest = f'<tr><td colspan="4" class="rest">and {more:,} more</td></tr>' if more > 0 else ""
    return f'<table class="headlight-files"><thead><tr>{head}</tr></thead><tbody>{rows}{rest}</tbody></table>'


def _row(file: FoundFile) -> str:
    name = shown(file.path)
    return (
        f'<tr class="{file.severity}"><th scope="row" title="{escape(name)}"><bdi>{_breakable(name)}</bdi></th>'
        f'<td class="kind">{KINDS[file.kind]}</td><td>{_breakable(_told(file))}</td>'
        f"<td>{size_in_words(file.nbytes)}</td></tr>"
    )


def _breakable(text: str) -> str:
    """As HTML that may break behind a folder and within a class's name, not just where the line ends."""
    return _SEAMS.sub("<wbr>", escape(text))


def _told(file: FoundFile) -> str:
    """The sentence without the name at its beginning, which stands beside it."""
    named, colon, rest = file.sentence.partition(": ")
    paths = (file.path, file.path.rpartition("/")[2])
    if colon and named in (*paths, *map(shown, paths)):
        return rest[:1].upper() + rest[1:]
    return file.sentence


def _is_refused(files: Sequence[FoundFile]) -> bool:
    return any(file.severity == "error" for file in files)


def _candidate(came: Arrived) -> Candidate | None:
    candidates = came.found.candidates
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    names = {number: _label(candidate) for number, candidate in enumerate(candidates)}
    adapters = [number for number, candidate in enumerate(candidates) if candidate.kind == "adapter"]
    chosen = st.selectbox(
        f"Which of the {len(candidates)} models",
        tuple(names),
        # Whoever brings an adapter with its base wants the two together.
        index=next((number for number in adapters if candidates[number].bases), 0),
        format_func=names.__getitem__,
        key=f"models_candidate_{came.number}",
        persist_state="session",
    )
    return candidates[chosen]


def _label(candidate: Candidate) -> str:
    about = {"model": "", "adapter": ", an adapter", "gguf": ", a GGUF file"}[candidate.kind]
    nbytes = sum(path.stat().st_size for path in candidate.weights if path.is_file())
    return f"{shown(candidate.name)}{about}, {size_in_words(nbytes)}"


def size_in_words(nbytes: int) -> str:
    """A count of bytes as a table shows it, with a space that no line ends at."""
    if nbytes < 1000:
        size = f"{nbytes} B"
    elif nbytes < 1e6:
        size = f"{nbytes / 1e3:,.0f} kB"
    else:
        size = f"{nbytes / 1e6:.1f} MB" if nbytes < 1e7 else megabytes(nbytes)
    return size.replace(" ", "\N{NO-BREAK SPACE}")
