"""What came of the runs that are shown: a small table, and ways to take each model along."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st

from core.training.defaults import default_recipe
from core.training.history import Record
from core.ui import address
from core.ui.training.panels import names_of
from core.ui.training.runs import Run
from core.ui.training.status import state_words
from core.ui.words import small_print

COLUMNS = ("", "tokens right", "all right", "gold alignment", "seconds", "weights")
CAPTION = (
    "The last evaluation, on examples that were not trained on: share of characters that are right, of answers without "
    "a mistake, and of characters whose largest attention weight lies on a gold link. The network writes freely."
)
ATTENTION_PAGE = "pages/attention.py"


def results_card(runs: Sequence[Run], records: Sequence[Record]) -> None:
    """The table, and below it for each run that has ended the buttons that open and download its model."""
    with st.container(border=True, key="results_card"):
        st.markdown("**Results**")
        st.html(results_table(runs, records, names_of(runs)))
        for run in runs:
            _take_along(run, names_of(runs)[run.number], len(runs) > 1)
        small_print(CAPTION, "caption")


def results_table(runs: Sequence[Run], records: Sequence[Record], names: dict[int, str], plain: bool = False) -> str:
    """The table as HTML. plain: without the colours that the runs have in the figures, and with what each run was."""
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    rows = (
        _row(run, record, names[run.number], "" if plain else f"run-{place}", plain)
        for place, (run, record) in enumerate(zip(runs, records, strict=True), 1)
    )
    return f'<table class="headlight-results"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _row(run: Run, record: Record, name: str, colour: str, plain: bool) -> str:
    last = record.evaluations[-1] if record.evaluations else None
    shares = (last.token_accuracy, last.sequence_accuracy, last.alignment) if last else (None, None, None)
    seconds = f"{record.steps[-1].seconds:.0f}" if record.steps else "–"
    weights = f"{run.lesson.parameters:,}" if run.lesson.parameters else "–"
    cells = [*("–" if share is None else f"{share:.3f}" for share in shares), seconds, weights]
    dot = "" if plain else "<i></i>"
    state = f'<span class="state">{escape(_about(run))}</span>' if plain else ""
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
    title = f'<th scope="row"><span class="name">{dot}{escape(name)}</span>{state}</th>'
    return f'<tr class="run {colour}">{title}{numbers}</tr>'


def _about(run: Run) -> str:
    """How a run ended, and in what it differs from the defaults of its architecture."""
    default = default_recipe(run.recipe.task, run.recipe.settings.architecture)
    return " · ".join([state_words(run).lower(), *run.recipe.differs(default)])


def _take_along(run: Run, name: str, says_name: bool) -> None:
    if not run.background.ended or run.lesson.checkpoint is None:
        st.empty()
        return
    whose = f"“{name}”" if says_name else ""
    with st.container(horizontal=True, key=f"take_along_{run.number}"):
        if st.button(
            f"Open {whose}" if whose else "Open on the Attention page",
            icon=":material/grid_view:",
            key=f"open_run_{run.number}",
        ):
            _open(run, run.lesson.checkpoint)
        st.download_button(
            f"Download {whose}" if whose else "Download checkpoint",
            partial(zipped, run.lesson.checkpoint, _slug(run)),
            f"{_slug(run)}.zip",
            "application/zip",
            on_click="ignore",
            icon=":material/download:",
            help="A folder that core.load opens, and the app below a root of HEADLIGHT_MODELS.",
            key=f"download_run_{run.number}",
        )


def _open(run: Run, checkpoint: Path) -> None:
    """Go to the Attention page with this model and the example of the film."""
    from core.ui import own_models

    # A copy, because that page lets go of the oldest of its models.
    folder = Path(tempfile.mkdtemp(prefix="headlight-model-"))
    shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    name = own_models.add(_slug(run), folder)
    address.send("", {"model": name, "text": run.recipe.toy.shown.source})
    st.switch_page(ATTENTION_PAGE)


def zipped(folder: Path, name: str) -> bytes:
    """A folder as a zip archive in which it has this name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{name}/{path.relative_to(folder)}")
    return file.getvalue()


def _slug(run: Run) -> str:
    """A name for folders and menus: "reverse-additive-3"."""
    return re.sub(r"[^\w.-]+", "-", f"{run.recipe.task}-{run.recipe.settings.architecture}-{run.number}")
