"""Words by method: every method's numbers in its own row, word under word, exact wherever they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page

from core.views import SaliencyRow, SaliencyRows, words_figure
from core.views.payload import unpack
from tests.views.scored import WORDS, row_of, rows_with, scores_of, signed_scores
from tests.views.test_standalone import opened
from tests.views.traces import archive, table

ATTENTION = scores_of([0.1, 0.4, 0, 0.2, 0.2, 0.1])
SIGNED = signed_scores([-2.0, 1.0, 0, 0.5, 1e-5, 0.25], error=np.array([0.25, 0, 0, 0, 0, 0]))
PENDING = SaliencyRow("rollout", "Rollout", "attention")
REFUSED = SaliencyRow("flow", "Attention flow", "attention", refused="It has too many tokens: take rollout.")
ROWS = rows_with(row_of(ATTENTION, "attention"), PENDING, REFUSED, row_of(SIGNED))


def test_the_payload_holds_each_row_and_its_largest_magnitude():
    header, arrays = unpack(words_figure(ROWS).payload)
    assert header["labels"] == list(WORDS)
    assert [row["state"] for row in header["rows"]] == ["scored", "pending", "refused", "scored"]
    assert [row["top"] for row in header["rows"]] == [0.4, 0.0, 0.0, 2.0]
    np.testing.assert_allclose(arrays["values"], [ATTENTION.values, SIGNED.values], rtol=1e-6)
    assert arrays["error1"][0] == 0.25
    assert "error0" not in arrays


def test_the_caption_says_how_the_numbers_came_about():
    words = words_figure(ROWS).caption
    for part in (
        "tiny <b>model</b>",
        "explained: label “positive”",
        "scalar: margin",
        "baseline: unknown",
        "aggregation: dot",
        "6 words",
        "2 special or padding tokens have no score",
        "its own largest magnitude",
        "orange against it",
        "1 still computed",
        "1 not applicable",
    ):
        assert part in words


def test_the_caption_says_how_far_a_random_draw_and_a_sum_can_be_trusted():
    off = signed_scores(SIGNED.values.tolist(), "gradient_shap", title="GradientSHAP", completeness_delta=0.44)
    near = signed_scores(SIGNED.values.tolist(), "saliency", completeness_delta=0.01)
    words = words_figure(rows_with(row_of(SIGNED), row_of(off), row_of(near))).caption
    assert "mean standard error in shares of the largest score: Integrated gradients ± 2.1 %" in words
    assert "read with care: GradientSHAP by 44 %" in words
    assert "Saliency" not in words
    assert "drawn at random" not in words_figure(rows_with(row_of(ATTENTION))).caption


def test_choices_that_differ_are_named_with_their_methods():
    other = signed_scores(SIGNED.values.tolist(), "saliency", aggregation="l2", baseline="")
    words = words_figure(rows_with(row_of(SIGNED), row_of(other))).caption
    assert "aggregation: dot (Integrated gradients); l2 (Saliency)" in words


def test_the_exports_hold_every_score_in_full():
    figure = words_figure(ROWS)
    rows = table(figure.csv())
    assert rows["score"].astype(float).tolist() == [*ATTENTION.values, *SIGNED.values]
    assert rows["word"].tolist()[:4] == ["a", "dull", "</script>", "'=1+1"]
    assert rows["standard_error"].tolist()[6] == "0.25"
    arrays = archive(figure.npz())
    np.testing.assert_array_equal(arrays["scores"], [ATTENTION.values, SIGNED.values])
    assert np.isnan(arrays["standard_errors"][0]).all()
    assert arrays["methods"].tolist() == ["attention", "integrated_gradients"]


def test_scores_of_other_words_are_refused():
    with pytest.raises(ValueError, match="attention has 6 scores for 2 words"):
        SaliencyRows("m", "t", ("a", "b"), "word", (row_of(ATTENTION),))


@pytest.mark.parametrize("rows", [rows_with(PENDING), rows_with(REFUSED), rows_with(), rows_with(labels=())])
def test_a_figure_without_scores_has_exports_too(rows: SaliencyRows):
    figure = words_figure(rows)
    assert figure.csv()
    assert archive(figure.npz())["scores"].shape == (0, len(rows.labels))


@contextmanager
def drawn(browser: Browser, folder: Path, rows: SaliencyRows, scheme: str = "light") -> Iterator[tuple[Page, Locator]]:
    with opened(browser, words_figure(rows), folder, scheme) as page:
        root = page.locator(".headlight.saliency[data-drawn]")
        root.wait_for()
        yield page, root


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_signs_have_colours_of_their_own_and_zero_has_none(browser: Browser, tmp_path: Path, scheme: str):
    with drawn(browser, tmp_path, ROWS, scheme) as (page, root):
        assert root.get_attribute("data-rows") == "3"
        assert root.locator(".refusals").inner_text() == f"Attention flow: {REFUSED.refused}"
        told = root.locator("canvas").evaluate(
            """(canvas) => { const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return new Set(new Uint32Array(data.buffer)).size; }"""
        )
        assert told > 40
        remark = root.locator(".marks-remark").inner_text()
        assert "± with a sign" in remark
        assert page.locator(".legend").count() == 2


def test_the_keys_read_every_number_and_mark_a_word(browser: Browser, tmp_path: Path):
    with drawn(browser, tmp_path, ROWS) as (page, root):
        stage = root.locator(".stage")
        stage.press("ArrowRight")
        assert root.locator(".tooltip.shown").inner_text().splitlines()[:3] == ["a", "Attention", "0.1000"]
        stage.press("PageDown")
        spoken = root.locator(".live").inner_text()
        assert spoken == ("Integrated gradients, word 1 a, −2.000 ± 0.2500 standard error, magnitude number 1 of 6")
        stage.press("ArrowRight")
        assert root.locator(".tooltip.shown .tooltip-value").inner_text() == "+1.000 ± 0"
        stage.press("Enter")
        assert root.get_attribute("data-picked") == "1"
        assert root.locator(".mark").count() == 1
        stage.press("Enter")
        assert root.get_attribute("data-picked") == ""
        stage.press("End")
        stage.press("ArrowUp")
        assert "still computed" in root.locator(".tooltip.shown").inner_text()
        stage.press("Escape")
        assert root.locator(".tooltip.shown").count() == 0
        assert page.evaluate("document.activeElement.className") == "stage"


def test_a_click_tells_python_the_word_and_a_second_one_takes_it_back(browser: Browser, tmp_path: Path):
    with drawn(browser, tmp_path, ROWS) as (page, root):
        page.evaluate(
            """(bytes) => { globalThis.told = []; drawFigure({ data: Uint8Array.from(bytes),
            parentElement: document.querySelector("#figure"),
            setTriggerValue: (name, value) => told.push([name, value]) }); }""",
            list(words_figure(ROWS).payload),
        )
        root.locator(".stage").press("End")
        root.locator(".stage").press("End")
        place = root.locator(".ring").bounding_box()
        assert place
        for _ in range(2):
            page.mouse.click(place["x"] + 5, place["y"] + 5)
        assert page.evaluate("told.map(([name, { group }]) => [name, group])") == [["pick", 5], ["pick", None]]


def test_right_to_left_words_run_from_the_right(browser: Browser, tmp_path: Path):
    labels = ("هذا", "فيلم", "جميل")
    with drawn(browser, tmp_path, rows_with(row_of(scores_of([1, 2, 3], labels=labels)))) as (_, root):
        stage, ring = root.locator(".stage"), root.locator(".ring")
        stage.press("Home")
        first = ring.bounding_box()
        stage.press("ArrowLeft")
        second = ring.bounding_box()
        assert first is not None
        assert second is not None
        assert second["x"] < first["x"]
        assert "فيلم" in root.locator(".live").inner_text()


def test_twenty_methods_over_five_hundred_words_are_drawn_as_they_come_into_sight(browser: Browser, tmp_path: Path):
    random = np.random.default_rng(0)
    rows = rows_with(*(row_of(scores_of(random.random(500).tolist(), f"method {i}")) for i in range(20)), picked=499)
    with drawn(browser, tmp_path, rows) as (_, root):
        blocks = int(root.get_attribute("data-blocks") or 0)
        assert blocks > 10
        assert 1 < root.locator("canvas").count() < blocks
        root.locator(".stage").press("End")
        root.locator(".stage").press("End")
        root.locator(".words-block:last-child canvas").wait_for()
        assert root.locator(".words-block:last-child .mark").count() == 1


def test_the_svg_picture_has_every_word_of_every_block(browser: Browser, tmp_path: Path):
    labels = (*(f"word{i}" for i in range(70)), "x" * 400)
    rows = rows_with(row_of(scores_of(np.linspace(0, 1, 71).tolist(), labels=labels)), REFUSED, picked=3)
    with drawn(browser, tmp_path, rows) as (page, _):
        with page.expect_download() as saved:
            page.get_by_role("button", name="SVG picture").click()
        picture = Path(saved.value.path()).read_text("utf-8")
        assert all(f">{label}<" in picture for label in labels[:70])
        assert "take rollout" in picture
