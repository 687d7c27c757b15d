"""The load report of a model: its lines with what to do about each, and the tensors that they speak of by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.ui.models.names_list import names_list
from core.ui.models.opened.report_table import report_table

if TYPE_CHECKING:
    from core.models.reporting.report import LoadReport


def load_report(report: LoadReport, key: str) -> None:
    """Draw the report. key: what the keys of its lists begin with."""
    with st.container(key=f"{key}-report-lines"):
        st.markdown("**How its weights were read**")
        report_table(report)
        names_list(f"{key}-missing", "Not in the files: random weights stand there", report.missing)
        shapes = dict(zip(report.mismatched, report.shapes, strict=False))
        names_list(
            f"{key}-mismatched",
            "Of another shape: random weights stand there",
            report.mismatched,
            lambda name: _shapes(*shapes[name]) if name in shapes else "",
        )
        names_list(f"{key}-unexpected", "In the files and left out", report.unexpected)
        names_list(f"{key}-brought", "Brought whole by the adapter", report.brought)


def _shapes(wanted: tuple[int, ...], found: tuple[int, ...]) -> str:
    return f"{_sides(found)} in the files, {_sides(wanted)} in the network"


def _sides(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "one number"
