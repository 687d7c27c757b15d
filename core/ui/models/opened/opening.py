"""Opening: a candidate with what was chosen becomes a folder that loads, and the model is read from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.jobs import Job
from core.jobs.background import sentence_of
from core.models.catalogue import find
from core.models.refusals import RandomWeights
from core.ui import first_texts, own_models, resources
from core.ui.models import state
from core.ui.models.bringing.dropping import QUEUE
from core.ui.models.in_view import FAILED, OPENED, OPENING, bring_into_view
from core.ui.models.opened.chosen_words import chosen_words
from core.ui.models.state import Arrived, Opened
from core.ui.progress import AT_ONCE, with_progress
from core.ui.running import INSISTED
from core.ui.starting import libraries
from core.ui.words import literal, note

if TYPE_CHECKING:
    from core.models.finding import Candidate
    from core.models.intake import Limits
    from core.models.preparing import Choices

DTYPE = "float32"
_ASKED, _FAILED, _PRESSED = "models_asked", "models_not_opened", "models_pressed"


@dataclass(frozen=True)
class Asked:
    """What is to be opened; a run that anything else begins goes on with it.

    candidate, choices, arrival, bounds: of what came; None for a model that is here by its name.
    waiting: a model whose refusal is overruled.
    tried: the text that its tokenizer was tried on; None where nobody typed one.
    """

    name: str
    candidate: Candidate | None = None
    choices: Choices | None = None
    arrival: int | None = None
    bounds: Limits | None = None
    waiting: Opened | None = None
    tried: str | None = None


def ask_for_candidate(
    came: Arrived, candidate: Candidate, choices: Choices, name: str, tried: str | None = None
) -> None:
    """Have a candidate of what came opened, by `open_asked` in a run of its own; without a name, by the candidate's."""
    name = name.strip() or candidate.name
    _ask(Asked(name, candidate, replace(choices, name=name), came.number, came.bounds, tried=tried))


def ask_for_named(name: str) -> None:
    """The same for a model that is here by its name."""
    _ask(Asked(name))


def is_opening() -> bool:
    """Whether something is to be opened in this run."""
    return _ASKED in st.session_state


def press(what: str) -> None:
    """Remember that a button was pressed; to be called as a callback."""
    st.session_state[_PRESSED] = what


def was_pressed(what: str) -> bool:
    """Whether that button was pressed, which is said once."""
    pressed = st.session_state.get(_PRESSED) == what
    if pressed:
        del st.session_state[_PRESSED]
    return pressed


def open_asked() -> None:
    """Open what was asked for under one bar, and draw the page anew with it, or with why it is not open."""
    asked: Asked | None = st.session_state.get(_ASKED)
    if asked is None:
        return
    with st.container(border=True, key=OPENING):
        st.markdown(f"**Opening {literal(asked.name)}**")
        _open_under_bar(asked)
    forget_asked()
    st.rerun()


def _open_under_bar(asked: Asked) -> None:
    stands = FAILED
    try:
        model = with_progress(asked.name, partial(_open, asked), forget_asked, key="models_opening")
        state.keep_opened(model)
        stands = FAILED if model.card is None else OPENED
    except HeadlightError as error:
        st.session_state[_FAILED] = str(error)
    except Exception as error:
        st.session_state[_FAILED] = sentence_of(error, asked.name)
    bring_into_view(stands)


def tell_failure() -> None:
    """Why the latest model was not opened, if it was not; and the way to overrule a refusal that may be overruled."""
    failed, waiting = st.session_state.get(_FAILED), state.opened()
    with st.container(key=FAILED):
        if failed:
            note(failed, "error")
        if waiting is not None and waiting.card is None:
            note(waiting.refusal, "error")
            with st.container(horizontal=True):
                st.button("Draw it anyway", on_click=_insist, args=(waiting,), key="models_insist")
                st.button("Leave it", type="tertiary", on_click=_forget_waiting, key="models_leave")


def forget_failure() -> None:
    """What went wrong no longer matters; to be called as a callback, too."""
    st.session_state.pop(_FAILED, None)


def forget_asked() -> None:
    """Nothing is to be opened any more; to be called as a callback, too."""
    st.session_state.pop(_ASKED, None)


def _ask(asked: Asked) -> None:
    forget_failure()
    _forget_waiting()
    _begin(asked)
    # So that what stands on the page now gives way to the bar.
    st.rerun()


def _begin(asked: Asked) -> None:
    st.session_state[_ASKED] = asked
    bring_into_view(OPENING)


def _insist(waiting: Opened) -> None:
    forget_failure()
    _begin(Asked(waiting.name, waiting=waiting))


def _open(asked: Asked, job: Job) -> Opened:
    job.advance(0, 1, AT_ONCE)
    libraries()
    if asked.waiting is not None:
        return _read(asked.waiting, job, insist=True)
    if asked.candidate is None or asked.choices is None:
        return _read(Opened(asked.name), job, insist=False)
    called = _prepared(asked.candidate, asked.choices, asked.bounds, job)
    return _read(Opened(called, asked.arrival, asked.candidate.name), job, insist=False, tried=asked.tried)


def _prepared(candidate: Candidate, choices: Choices, bounds: Limits | None, job: Job) -> str:
    """Make a folder that loads, and offer it to this session: the name that it goes by."""
    from core.models.intake import Intake
    from core.models.preparing import prepare

    into = state.belongs_to_session(Intake(bounds))
    try:
        with resources.session().queues.of(QUEUE).turn(job):
            folder = prepare(candidate, choices, into, job)
        return own_models.add(own_models.brought(choices.name), folder, into.close, chosen_words(choices))
    except BaseException:  # whatever ends it, also a browser that leaves
        into.close()
        raise


def _read(model: Opened, job: Job, insist: bool, tried: str | None = None) -> Opened:
    """Open it, or say why that must be overruled first; what cannot be opened does not stay."""
    try:
        folder = own_models.folder_of(model.name)
        read = resources.models().get(model.name, DTYPE, job, insist=insist, folder=folder)
    except RandomWeights as error:
        return replace(model, refusal=str(error))
    except BaseException:
        if model.arrival is not None:
            own_models.take_back(model.name)
        raise
    if insist:
        st.session_state[INSISTED] = (*st.session_state.get(INSISTED, ()), model.name)
    if find(model.name) is None:
        first_texts.keep(model.name, first_texts.readable(read, tried))
    return replace(model, card=read.card, report=read.report, refusal="")


def _forget_waiting() -> None:
    """A model that waits to be overruled is given up."""
    waiting = state.opened()
    if waiting is not None and waiting.card is None:
        if waiting.arrival is not None:
            own_models.take_back(waiting.name)
        state.keep_opened(None)
