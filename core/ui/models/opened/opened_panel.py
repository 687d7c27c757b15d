"""The model that was opened last: what it is, how its weights were read, and where to go with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.models.intake.limits import megabytes
from core.ui import own_models
from core.ui.models import state
from core.ui.models.comparing.compare_panel import compare_panel
from core.ui.models.opened.doors import doors
from core.ui.models.opened.load_report import load_report
from core.ui.models.state import Opened
from core.ui.words import facts, literal

if TYPE_CHECKING:
    from core.models.card import ModelCard
    from core.models.reporting.report import LoadReport


def opened_panel(model: Opened) -> None:
    """The card; nothing for a model that waits to be overruled or was let go of."""
    if model.card is None or model.report is None:
        return
    own = own_models.folder_of(model.name) is not None
    if model.arrival is not None and not own:
        return
    with st.container(border=True, key="models_opened_card"):
        with st.container(horizontal=True, vertical_alignment="center", key="models_opened_head"):
            st.markdown(f"**Open: {literal(model.name)}**", width="content")
            st.space("stretch")
            if own:
                st.button(
                    "Remove",
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=partial(remove, model.name),
                    help=own_models.REMOVES,
                    key="models_remove_opened",
                )
        facts(_facts(model.card, model.report))
        doors(model.name)
        load_report(model.report, key="models_report")
    compare_panel(model.name)


def remove(name: str) -> None:
    """Let go of one of this session's own models; to be called as a callback."""
    shown = state.opened()
    if shown is not None and shown.name == name:
        state.keep_opened(None)
    own_models.remove(name)


def _facts(card: ModelCard, report: LoadReport) -> list[tuple[str, str]]:
    shapes = [(_stack(card, stream), f"Layers and heads of {stream} attention") for stream in card.streams]
    return [
        (card.family, "The model's architecture, as transformers calls it"),
        *(shapes or [("no attention", "Nothing of it attends")]),
        (f"{report.parameters / 1e6:,.1f} M weights", f"{report.parameters:,} weights in {megabytes(report.nbytes)}"),
        _longest(card, report),
    ]


def _longest(card: ModelCard, report: LoadReport) -> tuple[str, str]:
    if report.takes_longest:
        return f"reads {card.max_tokens:,} tokens, as usual", "Usual in its family; the files do not tell it"
    return f"reads {card.max_tokens:,} tokens", "The longest input that it takes"


def _stack(card: ModelCard, stream: str) -> str:
    layers, heads = card.layers[stream], card.heads[stream]
    counted = f"{layers:,} layer{'' if layers == 1 else 's'} × {heads:,} head{'' if heads == 1 else 's'}"
    return counted if stream == "self" else f"{stream}: {counted}"
