"""What the page keeps in the state of its browser session, and what it shows first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.jobs.forked import prepare
from core.ui import remarks, resources
from core.ui.address import take

if TYPE_CHECKING:
    from core.models.card import ModelCard
    from core.models.finding import Found, FoundFile
    from core.models.intake import Intake, Limits
    from core.models.reporting.report import LoadReport

FILES, FOLDER, HUB, SERVER = "files", "folder", "hub", "server"
WAYS = {FILES: "Files", FOLDER: "Folder", HUB: "Hub", SERVER: "Server"}
WAY = "models_way"
# Goes up when the uploaders are to be empty again: a widget with another key is another widget.
ROUND = "models_round"
_ARRIVED, _OPENED, _REFUSAL, _COUNT, _AGAIN, _REPLACED = (
    "models_arrived",
    "models_opened",
    "models_refusal",
    "models_arrivals",
    "models_again_asked",
    "models_replaced",
)


@dataclass(frozen=True)
class Arrived:
    """What came by one of the ways.

    number    tells arrivals apart, in the keys of the controls below
    title     what it is called: a file's name, or how many files
    intake    the folder of an upload; None for one of the server's folders
    refused   files that were not let in, by their names
    left_out  how many hidden files were not taken
    is_named  whether the title is a name of its own, not a count
    bounds    of what is made from it; None for those of every upload
    """

    number: int
    title: str
    found: Found
    intake: Intake | None = None
    refused: tuple[FoundFile, ...] = ()
    left_out: int = 0
    is_named: bool = True
    bounds: Limits | None = None


@dataclass(frozen=True)
class Opened:
    """A model that was opened on this page.

    arrival    number of what it was made from; None for one that was here by its name
    candidate  which candidate of it
    card       what is known of it; None while a refusal stands that may be overruled
    refusal    that refusal, in one sentence
    """

    name: str
    arrival: int | None = None
    candidate: str = ""
    card: ModelCard | None = None
    report: LoadReport | None = None
    refusal: str = ""


def arrive() -> None:
    """Set the way in to what an address asks for, if somebody comes by one."""
    if WAY not in st.session_state:
        # Whatever is brought is looked into in boxes.
        prepare("core.models.checking_configs.inside_sketch")
    arriving = take("models")
    if arriving is not None:
        st.session_state[WAY] = arriving.choice("way", tuple(WAYS), FILES, "way in")
        remarks.keep(arriving.remarks)
    st.session_state.setdefault(WAY, FILES)


def way() -> str:
    """The way in that is chosen."""
    return str(st.session_state[WAY])


def address_of_way() -> dict[str, str]:
    """The parameter that opens the page with this way in; the first needs none."""
    return {} if way() == FILES else {"way": way()}


def arrived() -> Arrived | None:
    """What came last and was not put away."""
    found: Arrived | None = st.session_state.get(_ARRIVED)
    return found


def next_number() -> int:
    """A number for what comes next."""
    number: int = st.session_state.get(_COUNT, 0) + 1
    st.session_state[_COUNT] = number
    return number


def keep_arrived(came: Arrived) -> None:
    """Show something that has come, once `make_room` has put away what came before."""
    st.session_state[_ARRIVED] = came


def put_away() -> None:
    """Forget what came, and delete it if it was an upload; models that were opened from it stay."""
    st.session_state.pop(_REPLACED, None)
    _let_go()


def make_room() -> None:
    """The same for something that comes in its place; `replaced` then says what was put away."""
    before = arrived()
    st.session_state[_REPLACED] = before.title if before is not None and not is_done(before) else ""
    _let_go()


def replaced() -> str:
    """What was put away for what came last, before anything was opened from it; "" where nothing was."""
    return str(st.session_state.get(_REPLACED, ""))


def _let_go() -> None:
    st.session_state.pop(_REFUSAL, None)
    before: Arrived | None = st.session_state.pop(_ARRIVED, None)
    if before is not None and before.intake is not None:
        before.intake.close()


def belongs_to_session(intake: Intake) -> Intake:
    """The same, to be deleted when the browser session ends, whatever happens."""
    resources.session().at_end(partial(type(intake).close, intake))
    return intake


def opened() -> Opened | None:
    """The model that was opened last on this page."""
    found: Opened | None = st.session_state.get(_OPENED)
    return found


def keep_opened(model: Opened | None) -> None:
    """Show this model as the one that was opened last."""
    st.session_state.pop(_AGAIN, None)
    st.session_state[_OPENED] = model


def is_done(came: Arrived) -> bool:
    """Whether a model of what came is the one that is shown, and nobody asked for the forms again."""
    model = opened()
    is_shown = model is not None and model.card is not None and model.arrival == came.number
    return is_shown and not st.session_state.get(_AGAIN, False)


def again() -> None:
    """Show the forms of what came once more; to be called as a callback."""
    st.session_state[_AGAIN] = True


def refusal() -> str:
    """Why what came last was not taken, in one sentence; "" where nothing was refused."""
    return str(st.session_state.get(_REFUSAL, ""))


def refuse(sentence: str) -> None:
    """Say why something was not taken until something else comes."""
    st.session_state[_REFUSAL] = sentence


def empty_uploaders() -> None:
    """Let the uploaders be empty in the next run; to be called as a callback, too."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
