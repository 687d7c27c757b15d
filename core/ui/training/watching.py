"""The part of the page that is drawn again every second while something is trained: status, film, curves, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.training.history import Record
from core.ui.card import figure_card
from core.ui.components import mount
from core.ui.live_plot import draw_live
from core.ui.training.panels import HeadChoice, curves, film, lengths, longer_words, names_of
from core.ui.training.results import results_card
from core.ui.training.runs import Run, going_on, shown_runs
from core.ui.training.status import show_status
from core.ui.words import notes

SECONDS_BETWEEN = 1.0
LAST, MEAN = "last", "mean"
LAYER, HEAD = "training_film_layer", "training_film_head"
CARRIED = "It carries the settings; what was trained stays in this tab, until it is closed or reloaded."
NO_FILM = "there is no film, because all that this network knows of the source is in one vector."
APART = "These runs learnt different tasks: their curves lie over each other, but one is not better than the other."


def watch(here: Mapping[str, str], was_live: bool) -> None:
    """Draw the runs that are shown, again every second as long as one goes on, and the whole page when it ends.

    here: the parameters of a link to this page. was_live: whether the controls were drawn while something went on.
    """
    with st.container(key="follower"):
        mount("selection", {"link": {"parameters": dict(here), "note": CARRIED}}, "training_link")
    st.fragment(_draw, run_every=SECONDS_BETWEEN if was_live else None)(was_live)


def _draw(was_live: bool) -> None:
    # Asked before anything is read: what is drawn below is then never older than the answer.
    live = bool(going_on())
    runs = shown_runs()
    records = [run.record for run in runs]
    show_status(runs, records)
    errors = dict.fromkeys(run.error for run in runs if run.error)
    apart = [(APART, "warning")] if len({run.recipe.task for run in runs}) > 1 else []
    notes([*((error, "error") for error in errors), *apart], key="training_errors")
    drawn, tested = curves(runs, records), lengths(runs)
    shown = (tuple(run.number for run in runs), st.context.theme.type)
    # Two films stand side by side, and have the width of the page.
    wide = sum(run.recipe.settings.attends for run in runs) > 1
    if wide:
        _show_film(runs, records)
    with st.container(key="figures"):
        left, right = st.columns([0.54, 0.46] if wide else [0.46, 0.54], gap="small")
    with left if wide else right:
        figure_card(drawn, {}, {}, draw=lambda figure: draw_live(figure, shown, live))
    with right if wide else left:
        if not wide:
            _show_film(runs, records)
        results_card(runs, records)
    if tested is not None:
        with right:
            figure_card(tested, {}, {}, picked=longer_words(runs))
    if was_live and not live:
        st.rerun()


def _show_film(runs: Sequence[Run], records: Sequence[Record]) -> None:
    figure = film(runs, records, _head_choice(runs))
    if figure is not None:
        figure_card(figure, {}, {})
    names = names_of(runs)
    without = [names[run.number] for run in runs if not run.recipe.settings.attends]
    notes([(f"{name[:1].upper()}{name[1:]}: {NO_FILM}", "info") for name in without], key="no_film")


def _head_choice(runs: Sequence[Run]) -> HeadChoice:
    """Which of a Transformer's attentions the film shows; other networks have only one, and are not asked."""
    layers = max((run.recipe.settings.layers for run in runs if run.recipe.settings.is_transformer), default=1)
    heads = max((run.recipe.settings.heads for run in runs if run.recipe.settings.is_transformer), default=1)
    slot = st.container(horizontal=True, key="film_choice")
    if layers == 1 and heads == 1:
        return HeadChoice()
    layer, head = LAST, MEAN
    with slot:
        if layers > 1:
            layer = _choose("Layer", LAYER, [LAST, *map(str, range(layers))], LAST)
        if heads > 1:
            head = _choose("Head", HEAD, [MEAN, *map(str, range(heads))], MEAN)
    return HeadChoice(None if layer == LAST else int(layer), None if head == MEAN else int(head))


def _choose(label: str, key: str, options: list[str], default: str) -> str:
    # Runs with fewer layers or heads may be shown than when this was chosen.
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    return str(st.segmented_control(label, options, key=key, persist_state="session", required=True, width="content"))
