"""What is known about the open model, and how its weights were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.ui.words import notes, small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard
    from core.models.report import LoadReport


def model_report(card: ModelCard, report: LoadReport) -> None:
    """A button that opens the model's card and its load report."""
    with st.popover("About the model", icon=":material/info:", type="tertiary"):
        small_print(_facts(card), "card-facts")
        notes([(line.sentence, line.severity) for line in report.lines()], key="report_lines")


def report_warnings(report: LoadReport) -> list[tuple[str, str]]:
    """What in the report casts doubt on the pictures: sentences with their kinds."""
    return [(line.sentence, line.severity) for line in report.lines() if line.severity == "error"]


def _facts(card: ModelCard) -> str:
    shapes = (
        f"{stream}: {_counted(card.layers[stream], 'layer')} × {_counted(card.heads[stream], 'head')}"
        + (f" that share {card.key_value_heads[stream]} key-value heads" if _shares(card, stream) else "")
        for stream in card.streams
    )
    # What is no scheme, but makes one needless.
    is_scheme = card.positions not in ("recurrence", "convolution")
    positions = f"{card.positions} positions" if is_scheme else f"positions by {card.positions}"
    return " · ".join([card.name, f"family {card.family}", *shapes, positions, f"reads {card.max_tokens:,} tokens"])


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _shares(card: ModelCard, stream: str) -> bool:
    return card.key_value_heads[stream] < card.heads[stream]
