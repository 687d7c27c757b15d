"""Uploaders for files and for folders; what they hold goes to the disk at once, and their memory is freed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.background import sentence_of
from core.models.intake import Limits, limits
from core.models.quoting import shown
from core.ui import resources
from core.ui.models import state
from core.ui.models.bringing.arriving import Received, received
from core.ui.models.state import Arrived
from core.ui.progress import with_progress
from core.ui.starting import UPLOAD_OPTION, UPLOAD_UNIT, libraries

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from core.models.finding import Found, FoundFile

LABELS = {
    state.FILES: "Files of a model, its folder, or a zip or tar of it",
    state.FOLDER: "The folder of a model",
}
# One job at a time reads what came from a browser, whoever it belongs to.
QUEUE = "uploads"
_HELD = "models_files_in_memory"


def drop_zone(way: str) -> None:
    """Draw the uploader of a way; files that are in it are taken over, and the page is drawn anew."""
    files = st.file_uploader(
        LABELS[way],
        accept_multiple_files="directory" if way == state.FOLDER else True,
        max_upload_size=-(-bounds().nbytes // UPLOAD_UNIT),
        key=f"models_{way}_{st.session_state.get(state.ROUND, 0)}",
    )
    if files:
        _take(files)
        st.rerun()


def forget_files() -> None:
    """Free the memory of files that nobody took over, since their upload was stopped or the page left."""
    held, context = st.session_state.pop(_HELD, ()), get_script_run_ctx()
    if context is not None and isinstance(memory := context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file_id in held:
            memory.remove_file(context.session_id, file_id)


def bounds() -> Limits:
    """What an upload may hold: no more than Streamlit takes in one file. Raises HeadlightError as `limits` does."""
    allowed = limits()
    return replace(allowed, nbytes=min(allowed.nbytes, UPLOAD_UNIT * int(config.get_option(UPLOAD_OPTION))))


def _take(files: Sequence[UploadedFile]) -> None:
    """Put the files on the disk and find out what they are; what came before gives way."""
    state.make_room()
    st.session_state[_HELD] = [file.file_id for file in files]
    title, is_named = _title(files)
    try:
        took, found = with_progress(
            title, lambda job: _received_and_found(files, job), state.empty_uploaders, key="models_arriving"
        )
        came = Arrived(state.next_number(), title, found, took.intake, _refused(took), took.left_out, is_named)
        state.keep_arrived(came)
    except HeadlightError as error:
        state.refuse(str(error))
    except Exception as error:
        state.refuse(sentence_of(error, title))
    # Not where the run is stopped: then the callback of Stop decides, or the next run goes on.
    forget_files()
    state.empty_uploaders()


def _title(files: Sequence[UploadedFile]) -> tuple[str, bool]:
    """What an upload is called, and whether that is a name of its own: that of its one file or its one folder."""
    tops = {file.name.partition("/")[0] for file in files}
    is_named = len(tops) == 1 and (len(files) == 1 or "/" in files[0].name)
    return (shown(*tops), True) if is_named else (f"{len(files):,} files", False)


def _received_and_found(files: Sequence[UploadedFile], job: Job) -> tuple[Received, Found]:
    from core.models.finding import found

    libraries()
    with resources.session().queues.of(QUEUE).turn(job):
        took = received(files, job)
        try:
            state.belongs_to_session(took.intake)
            return took, found(took.intake.folder, job)
        except BaseException:
            took.intake.close()
            raise


def _refused(took: Received) -> tuple[FoundFile, ...]:
    from core.models.finding import FoundFile

    return tuple(FoundFile(name, nbytes, "refused", sentence, "error") for name, nbytes, sentence in took.refused)
