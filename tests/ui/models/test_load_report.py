"""The load report on a page: the gravest first, what to do, and the tensors by name."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.models.reporting.report import LoadReport
from core.ui.models.names_list import MOST_SHOWN
from core.ui.models.opened.report_table import table_of

MANY = tuple(f"head.{number}.weight" for number in range(MOST_SHOWN + 1))
REPORT = LoadReport(
    loaded=10, missing=("layer.<b>.weight",), mismatched=("layer.1.bias",), random_body=("layer.<b>.weight",),
    unexpected=MANY, cast=(), prefix="", pickled=True, parameters=12, nbytes=48, dtype="float32",
    shapes=(((3, 4), (3, 5)),),
)  # fmt: skip


def draw(report):
    """A script that draws the report."""
    from core.ui.models.opened.load_report import load_report

    load_report(report, "report")


def drawn() -> AppTest:
    app = AppTest.from_function(draw, args=(REPORT,), default_timeout=60).run()
    assert not app.exception, app.exception
    return app


def html_of(app: AppTest) -> str:
    return "".join(element.proto.body for element in app.get("html"))


def test_each_line_has_a_word_for_its_gravity_and_what_to_do():
    html = table_of(REPORT.lines())
    rows = html.split("<tr")[2:]
    assert [row.split('"')[1] for row in rows] == [line.severity for line in REPORT.lines()]
    assert "Problem" in rows[0]
    assert "How grave" not in html
    assert "What to do" in html
    assert all(line.remedy in html for line in REPORT.lines() if "<" not in line.remedy)
    assert "<b>" not in html


def test_tensors_are_listed_letter_for_letter_with_their_shapes():
    html = html_of(drawn())
    assert "layer.&lt;b&gt;.weight" in html
    assert "3 × 5 in the files, 3 × 4 in the network" in html


def test_a_long_list_is_cut_and_filtered():
    app = drawn()
    assert MANY[-1] not in html_of(app)
    assert f"The first {MOST_SHOWN} of {len(MANY)} names; all are in the table." in html_of(app)
    app.text_input(key="report-unexpected-filter").set_value("HEAD.300").run()
    assert MANY[-1] in html_of(app)
    app.text_input(key="report-unexpected-filter").set_value("nowhere").run()
    assert "No name has that in it." in html_of(app)
