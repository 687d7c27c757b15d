"""Base against fine-tuned: the weights of a model of this session held against those of the model it came from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import HeadlightError
from core.models.quoting import shown
from core.ui import own_models, resources
from core.ui.card import figure_card
from core.ui.models.comparing.compare_bases import LIKE, Likeness, base_called, likely_bases, place_of
from core.ui.models.comparing.moved_words import moved_table, moved_words
from core.ui.models.kept_forms import once
from core.ui.progress import AT_ONCE, with_progress
from core.ui.starting import libraries
from core.ui.words import note, notes, small_print

if TYPE_CHECKING:
    from pathlib import Path

    from core.jobs import Job
    from core.models.model import Model
    from core.models.moved import Moved

DTYPE = "float32"
HELP = (
    "Which layers changed when a model was trained further? Both are opened, and their weights are compared tensor by "
    "tensor. Weights that moved far need not have changed what the model does, and a small move can."
)
NO_OTHER = "There is no other model here to compare it with: download one, or upload its base."
NO_KIN = "No other model here has tensors of the same names and shapes: open the base first, or choose another one."
STOPPED = "The comparison was stopped; press Compare to start it again."
# A result is a few hundred short lines.
SMALL = 1 << 20
_ASKED, _STOPPED = "compared_with", "stopped_comparison"


@dataclass(frozen=True)
class Comparison:
    """What differs, and sentences on tensors that no file held, whose movement means nothing."""

    found: Moved
    remarks: tuple[str, ...]


def compare_panel(name: str) -> None:
    """Draw the choice of a base, and the comparison once it is asked for. name: of the fine-tuned model."""
    with st.container(border=True, key="compare_panel"):
        st.markdown("**Base against fine-tuned**", help=HELP)
        base = _chosen(name)
        if base is None:
            return
        st.button("Compare", icon=":material/difference:", on_click=_ask, args=(name, base), key="compare_run")
    if st.session_state.get(_ASKED) != (name, base):
        return
    if st.session_state.get(_STOPPED) == (name, base):
        note(STOPPED, "info")
        return
    if (comparison := _compared(name, base)) is not None:
        _show(comparison, name, base)


def _chosen(name: str) -> str | None:
    """The base that is chosen, the likeliest at first."""
    here = own_models.names()
    known = {each.name: each for each in once("compare", "likely", (name, here), partial(likely_bases, name))}
    if not known:
        note(NO_OTHER, "info")
        return None
    first = next(iter(known.values()))
    base = st.selectbox(
        "Base",
        list(known),
        # What hardly fits must be somebody's own wish.
        index=0 if (first.share or 0.0) >= LIKE or first.name == base_called(name) else None,
        format_func=own_models.label_of,
        placeholder="Choose one",
        width=420,
        key=f"compare-base-of-{name}",
        persist_state="session",
        help="The model that this one was trained from; those with the same tensors come first.",
    )
    small_print(NO_KIN if base is None else _why(known[base]), "why")
    return base


def _why(likeness: Likeness) -> str:
    if likeness.share is None:
        return "Its files do not tell names and shapes before it is opened."
    if likeness.share == 0:
        return "Its files share no tensor of one name and shape with this model."
    words = "all" if likeness.share == 1 else f"{int(100 * likeness.share)} %"
    doubt = "" if likeness.share >= LIKE else ", too few for a comparison"
    return f"Its files share {words} of their tensors' names and shapes with this model{doubt}."


def _ask(name: str, base: str) -> None:
    st.session_state[_ASKED] = (name, base)
    st.session_state.pop(_STOPPED, None)


def _compared(name: str, base: str) -> Comparison | None:
    """The comparison, from this session's results or made now; None, with a sentence, where there is none."""
    try:
        return with_progress(
            f"{base} and {name}",
            partial(_stored, name, base),
            on_stop=lambda: st.session_state.update({_STOPPED: (name, base)}),
            key="compare_progress",
        )
    except HeadlightError as error:
        note(str(error), "error")
        return None


def _stored(name: str, base: str, job: Job) -> Comparison:
    session = resources.session()
    folders = own_models.folder_of(name), place_of(name, base)
    return session.results.get_or_make(
        (session.name, "moved", name, base, *folders),
        make=lambda: _run(name, base, job),
        size=lambda found: SMALL,
        while_waiting=lambda: job.waiting(1),
    )


def _run(name: str, base: str, job: Job) -> Comparison:
    job.advance(0, 1, AT_ONCE)
    libraries()
    from core.models.moved import moved

    first, tuned = _opened(base, place_of(name, base), job), _opened(name, own_models.folder_of(name), job)
    with resources.session().queues.of(tuned.device).turn(job):
        found = moved(first.network, tuned.network, job)
    return Comparison(found, tuple(_random(model) for model in (first, tuned) if model.report.reinitialised))


def _opened(name: str, folder: Path | None, job: Job) -> Model:
    return resources.models().get(name, DTYPE, job, folder=folder)


def _random(model: Model) -> str:
    names = model.report.reinitialised
    return (
        f"{model.name}: {len(names):,} tensor{'' if len(names) == 1 else 's'} after the layers are random, because its "
        f"files lack them ({shown(names[0])}{', …' if len(names) > 1 else ''}), and how far they moved means nothing."
    )


def _show(comparison: Comparison, name: str, base: str) -> None:
    from core.views.moved_view import moved_figure

    found = comparison.found
    notes([moved_words(found, base, name), *((remark, "warning") for remark in comparison.remarks)], key="moved_notes")
    if not found.same:
        with st.container(border=True, key="moved_words"):
            st.markdown("**Where its weights moved most**")
            st.html(moved_table(found))
    figure_card(moved_figure(found, base, name), {}, {})
