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

COLUMNS = ("", "step", "token accuracy", "exact answers", "gold alignment", "seconds of its own", "weights")
CAPTION = (
    "Of examples that were not trained on. Token accuracy: share of characters that are right; exact answers: share of "
    "answers without a mistake; for both the network writes freely, each character after its own earlier ones. Gold "
    "alignment: share of characters whose largest attention weight lies on a gold link, read with teacher forcing: the "
    "right earlier characters are fed in. The film counts the misses of its one example: an alignment error rate of 0 "
    "is best. Seconds of its own: without what the other run took."
)


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
    last = run.result
    shares = (last.token_accuracy, last.sequence_accuracy, last.alignment) if last else (None, None, None)
    step = f"{last.step:,}" if last else "–"
    seconds = f"{record.steps[-1].seconds:.0f}" if record.steps else "–"
    weights = f"{run.lesson.parameters:,}" if run.lesson.parameters else "–"
    cells = [step, *("–" if share is None else f"{share:.3f}" for share in shares), seconds, weights]
    dot = "" if plain else "<i></i>"
    state = f'<span class="state">{escape(_about(run))}</span>' if plain else ""
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
    title = f'<th scope="row"><span class="name">{dot}{escape(name)}</span>{state}</th>'
    return f'<tr class="run {colour}">{title}{numbers}</tr>'


def _about(run: Run) -> str:
    """How a run ended, and in what it differs from the defaults of its architecture."""
    default = default_recipe(run.recipe.task, run.recipe.settings.architecture)
    changes = run.recipe.differs(default) or ("default settings",)
    return " · ".join([state_words(run).lower(), *changes])


def _take_along(run: Run, name: str, says_name: bool) -> None:
    if not run.ended or run.lesson.checkpoint is None:
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
            help="A zip archive. In Python, core.load opens the folder in it. The app opens it, too, if it lies in a "
            "folder that the environment variable HEADLIGHT_MODELS names when the app starts.",
            key=f"download_run_{run.number}",
        )


def _open(run: Run, checkpoint: Path) -> None:
    """Go to the Attention page with this model and the example of the film."""
    from core.ui import own_models

    # A copy, because that page lets go of the oldest of its models.
    folder = Path(tempfile.mkdtemp(prefix="headlight-model-"))
    shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    name = own_models.add(_slug(run), folder)
    address.go("", {"model": name, "text": run.recipe.toy.shown.source})


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
