"""Word alignment side by side: exact weights, gold links where they were judged, and words for what is not there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page

from core.alignment import AlignmentScore, Judged
from core.views import AlignedPanel, Figure, alignment_figure, standalone
from core.views.alignment_words import verdict_words
from core.views.payload import unpack
from tests.views.aligned import GOLDEN, POSSIBLE, SOURCE, SURE, aligned_panel, words_of
from tests.views.test_film import cell
from tests.views.test_standalone import opened
from tests.views.traces import archive, table

MODEST = np.random.default_rng(3).dirichlet(np.ones(4), 4).astype(np.float32)
WITHOUT = AlignedPanel("plain gru", "", None, "le chien", note="It has no attention.")


def panels_of(figure: Figure) -> list[dict[str, Any]]:
    return unpack(figure.payload)[0]["panels"]


def test_the_payload_holds_the_weights_exactly_and_none_of_a_model_without_attention():
    header, arrays = unpack(alignment_figure([aligned_panel(MODEST), WITHOUT, aligned_panel()], SURE, POSSIBLE).payload)
    np.testing.assert_array_equal(arrays["weights0"], MODEST)
    assert set(arrays) == {"weights0", "weights2"}
    assert [panel["matrix"] for panel in header["panels"]] == [True, False, True]
    assert header["panels"][1] == header["panels"][1] | {"about": "no attention", "note": "It has no attention."}


def test_gold_links_are_outlined_where_the_panel_was_judged_by_them():
    judged, other = panels_of(alignment_figure([aligned_panel(), aligned_panel(gold=False)], SURE, POSSIBLE))
    assert judged["sure"] == [[0, 0], [1, 2], [2, 1]]
    assert judged["possible"] == [[0, 0], [0, 2], [1, 2], [2, 1]]
    assert (other["sure"], other["possible"], other["scores"]) == ([], [], [])


def test_gold_links_count_words_and_skip_special_tokens_at_the_front():
    words = words_of(columns=("<fr>", *SOURCE[:3]), end_columns=frozenset({0}))
    (panel,) = panels_of(alignment_figure([aligned_panel(words=words)], SURE, POSSIBLE))
    assert panel["sure"] == [[0, 1], [1, 3], [2, 2]]


def test_links_beyond_the_rows_that_there_are_are_left_out():
    words = words_of(GOLDEN[:2], rows=("le", "chat"), end_rows=frozenset())
    (panel,) = panels_of(alignment_figure([aligned_panel(words=words)], SURE, POSSIBLE, reads="input"))
    assert panel["sure"] == [[0, 0], [1, 2]]


def test_rows_name_the_tokens_that_they_belong_to_in_both_readings():
    words = words_of(row_tokens=((1, 2), (3,), (4,), (5,)))
    panel = aligned_panel(words=words)
    assert panels_of(alignment_figure([panel], reads="output"))[0]["tokens"] == [[1, 2], [3], [4], [5]]
    assert panels_of(alignment_figure([panel], reads="input"))[0]["tokens"] == [[0, 1], [2], [3], [4]]


@pytest.mark.parametrize(
    ("attention", "diagonal", "words"),
    [
        (0.5, 0.25, "The diagonal, which looks at no word, aligns this pair better: AER 0.25."),
        (0.25, 0.25, "The diagonal, which looks at no word, does as well: AER 0.25."),
        (0.1, 0.25, "The diagonal has an AER of 0.25."),
        (math.nan, 0.25, ""),
    ],
)
def test_a_diagonal_that_is_better_is_called_that(attention: float, diagonal: float, words: str):
    scores = [AlignmentScore(0.5, 0.5, error) for error in (attention, diagonal)]
    assert verdict_words(Judged(*scores, set())) == words


def test_scores_have_two_decimals_and_a_dash_where_there_is_none():
    (panel,) = panels_of(alignment_figure([aligned_panel()], SURE, POSSIBLE))
    assert panel["scores"] == [["precision", "1.00"], ["recall", "1.00"], ["AER", "0.00"]]
    unknown = AlignmentScore(math.nan, 0.5, 0.5)
    (panel,) = panels_of(alignment_figure([aligned_panel(judged=Judged(unknown, unknown, set()))], SURE, POSSIBLE))
    assert panel["scores"][0] == ["precision", "–"]


def test_the_caption_says_what_is_shown_and_how_it_was_made():
    figure = alignment_figure([aligned_panel(), WITHOUT], SURE, POSSIBLE, about="English to French")
    for part in (
        "gru: mean over heads, 4 × 4 words (4 tokens of output)",
        "plain gru: no attention, so no matrix",
        "English to French",
        "read with output: the row of a word is that of the step that produces it",
        "columns summed, rows averaged",
        "linear colour scale from 0 to a weight of 1",
        "each row sums to 1",
        "gold links: 4 pairs",
        "AER: alignment error rate",
        "diagonal: what links by place",
    ):
        assert part in figure.caption
    assert "importance" not in figure.caption
    plain = alignment_figure([aligned_panel(MODEST / 2, gold=False)], SURE, POSSIBLE, "input", scale="sqrt", span="all")
    assert "read with input" in plain.caption
    assert f"square-root colour scale from 0 to {MODEST.max() / 2:.3g}, the largest weight of all" in plain.caption
    assert "rows sum to 1 or less" in plain.caption
    assert "gold" not in plain.caption


def test_one_scale_covers_all_panels():
    weights = [MODEST / 2, MODEST / 4]
    header, _ = unpack(alignment_figure([aligned_panel(each) for each in weights], span="all").payload)
    assert header["max"] == pytest.approx(MODEST.max() / 2)


def test_the_exports_hold_every_weight_word_and_link():
    unjudged = aligned_panel(label="lstm", gold=False)
    figure = alignment_figure([aligned_panel(MODEST, "=gru"), unjudged, WITHOUT], SURE, POSSIBLE)
    rows = table(figure.csv())
    own = rows[rows["model"] == "'=gru"]
    np.testing.assert_array_equal(own["weight"].to_numpy(np.float32).reshape(4, 4), MODEST)
    assert own["gold"].value_counts().to_dict() == {"no": 12, "sure": 3, "possible": 1}
    assert set(rows[rows["model"] != "'=gru"]["gold"]) == {"unknown"}
    assert "gold" not in table(alignment_figure([unjudged], SURE, POSSIBLE).csv())
    assert rows.iloc[-1][["model", "translation", "weight"]].tolist() == ["plain gru", "le chien", ""]
    arrays = archive(figure.npz())
    np.testing.assert_array_equal(arrays["weights_1"], MODEST)
    assert arrays["sure_1"].tolist() == [[0, 0], [1, 2], [2, 1]]
    assert arrays["translations"].tolist() == ["le chat noir", "le chat noir", "le chien"]
    assert "weights_3" not in arrays
    assert "sure_2" not in arrays


def test_no_model_has_a_figure_too():
    figure = alignment_figure([])
    assert unpack(figure.payload)[0]["panels"] == []
    assert figure.csv()
    assert figure.npz()


@contextmanager
def shown(browser, folder: Path, figure: Figure, scheme: str = "light") -> Iterator[tuple[Page, Locator]]:
    """The figure as a page of its own, drawn."""
    with opened(browser, figure, folder, scheme) as page:
        root = page.locator(".headlight.alignment[data-drawn]")
        root.wait_for()
        yield page, root


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_cell_tells_its_exact_weight_to_the_pointer_and_to_the_keyboard(browser, tmp_path: Path, scheme: str):
    figure = alignment_figure([aligned_panel(MODEST), WITHOUT, aligned_panel()], SURE, POSSIBLE, scale="sqrt")
    with shown(browser, tmp_path, figure, scheme) as (_, root):
        canvas = root.locator("canvas.cells").first
        canvas.hover(position=cell(root, 1, 2))
        lines = root.locator(".tooltip.shown > div").all_inner_texts()
        exact = re.fullmatch(r"weight (\d\.\d+)", lines[1])
        assert lines[0] == "chat → cat"
        assert exact
        assert float(exact[1]) == pytest.approx(MODEST[1, 2], rel=5e-4)
        assert lines[3].startswith("sure gold link")
        for key in ("ArrowDown", "End", "Home"):
            canvas.press(key)
        assert re.match(r"output \w+, source the, weight", root.locator(".live").inner_text())
        assert root.locator(".empty").inner_text().split("\n\n") == ["No attention, no matrix", "It has no attention."]
        assert root.locator(".verdict").last.inner_text().startswith("The diagonal")


def test_panels_are_level_and_the_row_of_the_step_that_is_shown_is_marked_in_its_model_only(browser, tmp_path: Path):
    other = aligned_panel(label="lstm " * 20, about="", translation="le chat noir " * 20)
    figure = alignment_figure([aligned_panel(label="gru"), replace(other, label="lstm"), other], SURE, POSSIBLE)
    with shown(browser, tmp_path, figure) as (page, root):
        tops = root.locator("canvas.cells").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().top)")
        assert len(set(tops[:2])) == 1
        assert root.get_attribute("data-followed") == "-1 -1 -1"
        page.evaluate(
            """() => { headlight.selection = { step: 2, stepOf: "lstm" };
            for (const tell of headlight.listeners.values()) tell("step 2"); }"""
        )
        assert root.get_attribute("data-followed") == "-1 2 -1"


def test_the_picture_holds_every_panel_and_hostile_words_stay_words(browser, tmp_path: Path):
    hostile = "<img src=x onerror='window.broken = 1'></script>"
    words = words_of(
        rows=(hostile, "猫", "القط", "👩‍👩‍👧" * 50), columns=("x" * 400, "yesterday", "看门狗看门狗", "</s>")
    )
    panel = aligned_panel(words=words, label=hostile, translation=hostile, note=hostile)
    with shown(browser, tmp_path, alignment_figure([panel, WITHOUT], SURE, POSSIBLE)) as (page, root):
        root.locator("canvas.cells").hover(position=cell(root, 0, 0))
        assert root.locator(".translation").first.inner_text() == hostile
        assert page.evaluate("window.broken") is None
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG picture").click()
        picture = Path(download.value.path()).read_text("utf-8")
        assert "<img" not in picture
        assert ">plain gru<" in picture
        assert ">yesterday<" in picture
        assert ">It has no attention.<" in picture
        assert "dashed: possible gold link" in re.sub(r"\s*<[^>]+>\s*", " ", picture)


def test_the_page_is_complete_in_itself():
    page = standalone(alignment_figure([aligned_panel()], SURE, POSSIBLE), {}).decode()
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
