"""The lines of a load report as a table: how much it matters, what was found, and what to do about it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from core.models.reporting.lines import ReportLine
    from core.models.reporting.report import LoadReport

# By severity: a mark that colour alone does not carry, and a word.
MARKS = {"error": ("✕", "Problem"), "warning": ("!", "Check"), "info": ("i", "Note")}


def report_table(report: LoadReport) -> None:
    """Draw the lines, the gravest first."""
    st.html(table_of(report.lines()))


def table_of(lines: tuple[ReportLine, ...]) -> str:
    """HTML of the lines; the last column is there where any line has a remedy."""
    told = any(line.remedy for line in lines)
    head = f'<th scope="col">Kind</th><th scope="col">What was found</th>{_head("What to do", told)}'
    rows = "".join(_row(line, told) for line in lines)
    return f'<table class="headlight-report"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _head(title: str, is_there: bool) -> str:
    return f'<th scope="col">{title}</th>' if is_there else ""


def _row(line: ReportLine, told: bool) -> str:
    mark, word = MARKS[line.severity]
    remedy = f"<td>{escape(line.remedy)}</td>" if told else ""
    return (
        f'<tr class="{line.severity}"><td class="grave"><i aria-hidden="true">{mark}</i>{word}</td>'
        f"<td>{escape(line.sentence)}</td>{remedy}</tr>"
    )
