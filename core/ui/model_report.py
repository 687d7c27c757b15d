"""What is known about the open model, and how its weights were read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.models.shipped import CARD, shipped_called
from core.ui.models.opened.report_table import report_table
from core.ui.words import small_print

if TYPE_CHECKING:
    from core.models.card import ModelCard
    from core.models.reporting.report import LoadReport


def model_report(card: ModelCard, report: LoadReport) -> None:
    """A button that opens the model's card and its load report."""
    with st.popover("About the model", icon=":material/info:", type="tertiary"):
        small_print(_facts(card, report), "card-facts")
        if (trained := shipped_called(card.name)) is not None:
            for line in training_lines(trained.told):
                small_print(line, "card-training")
            small_print(f"Its card: core/zoo/weights/{trained.name}/{CARD}", "card-training")
        with st.container(key="report_lines"):
            report_table(report)


def training_lines(told: Mapping[str, Any]) -> list[str]:
    """What a training.json tells of data, licence, measured scores and limits, a line each; without what it lacks."""
    head, scores, limits = told.get("shipped"), told.get("scores"), told.get("limits")
    licence = head.get("licence", "") if isinstance(head, dict) else ""
    numbers = scores.items() if isinstance(scores, dict) else ()
    # Names have commas of their own.
    measured = "; ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:.4g}"
        for name, value in numbers
        if isinstance(value, int | float)
    )
    known = " ".join(map(str, limits)) if isinstance(limits, list) else ""
    parts = {"Licence": licence, "Data": told.get("data", ""), "Scores": measured, "Limits": known}
    return [f"{name}: {text}" for name, text in parts.items() if text]


def report_warnings(report: LoadReport) -> list[tuple[str, str]]:
    """What in the report casts doubt on the pictures: sentences with their kinds."""
    return [(line.sentence, line.severity) for line in report.lines() if line.severity == "error"]


def _facts(card: ModelCard, report: LoadReport) -> str:
    shapes = (
        f"{stream}: {_counted(card.layers[stream], 'layer')} × {_counted(card.heads[stream], 'head')}"
        + (f" that share {card.key_value_heads[stream]} key-value heads" if _shares(card, stream) else "")
        for stream in card.streams
    )
    # What is no scheme, but makes one needless.
    is_scheme = card.positions not in ("recurrence", "convolution")
    positions = f"{card.positions} positions" if is_scheme else f"positions by {card.positions}"
    longest = f"reads {card.max_tokens:,} tokens{', as usual in its family' if report.takes_longest else ''}"
    return " · ".join([card.name, f"family {card.family}", *shapes, positions, longest])


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _shares(card: ModelCard, stream: str) -> bool:
    return card.key_value_heads[stream] < card.heads[stream]
