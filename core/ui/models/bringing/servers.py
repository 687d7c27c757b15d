"""Folders and files on the server, below the roots that whoever runs it named: opened, or looked into first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.background import sentence_of
from core.models.folders import folders_below_roots, roots, source_below_roots, sources_below_roots
from core.models.intake import Intake, Limits
from core.models.quoting import shown
from core.ui import resources
from core.ui.models import state
from core.ui.models.bringing.dropping import QUEUE
from core.ui.models.opened.opening import ask_for_named, press, was_pressed
from core.ui.models.state import Arrived
from core.ui.progress import AT_ONCE, with_progress
from core.ui.starting import libraries
from core.ui.words import note, small_print

if TYPE_CHECKING:
    from core.models.finding import Found

# Of what whoever runs the server put there; only the disk bounds it.
OF_THE_SERVER = Limits(nbytes=1 << 50)
CHOSEN = "models_server"
HOW = "Start Headlight with HEADLIGHT_MODELS set to a folder that holds your models: they then stand here."
NOTHING = "There is no model below the folders that this server opens."


def server_panel() -> None:
    """The menu of what lies there, with a button."""
    if not roots():
        note(HOW, "info")
        return
    ready, raw = folders_below_roots(), sources_below_roots()
    if not ready and not raw:
        note(NOTHING, "info")
        return
    names = (*ready, *raw)
    chosen = st.selectbox("Model on the server", names, format_func=shown, key=CHOSEN, persist_state="session")
    is_ready = chosen in ready
    label, icon = ("Open", ":material/bolt:") if is_ready else ("Look inside", ":material/search:")
    st.button(label, icon=icon, type="primary", on_click=press, args=(CHOSEN,), key="models_server_open")
    if was_pressed(CHOSEN):
        if is_ready:
            ask_for_named(chosen)
        else:
            _look(chosen)
    small_print("Whole models open at once. What lacks a config.json is looked into first, like an upload.", "caption")


def _look(name: str) -> None:
    """Find out what lies there; nothing is copied before it is opened."""
    state.make_room()
    try:
        found, links = with_progress(name, lambda job: _found(source_below_roots(name), job), key="models_looking")
        title = shown(name.rpartition("/")[2])
        state.keep_arrived(Arrived(state.next_number(), title, found, links, bounds=OF_THE_SERVER))
    except HeadlightError as error:
        state.refuse(str(error))
    except Exception as error:
        state.refuse(sentence_of(error, name))
    st.rerun()


def _found(path: Path, job: Job) -> tuple[Found, Intake | None]:
    """What lies in a folder; a single file is linked into a folder of its own first."""
    from core.models.finding import found
    from core.models.preparing.filling import filling

    job.advance(0, 1, AT_ONCE)
    libraries()
    with resources.session().queues.of(QUEUE).turn(job):
        if path.is_dir():
            return found(path, job), None
        links = state.belongs_to_session(Intake(OF_THE_SERVER))
        try:
            with filling(links, job) as filled:
                filled.link(path, path.name)
            return found(links.folder, job), links
        except BaseException:  # whatever ends it, also a browser that leaves
            links.close()
            raise
