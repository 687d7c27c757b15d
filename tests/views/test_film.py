"""The film of attention as it is learnt: exact numbers, the frame that is shown, playing, and a page of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.alignment import error_rate, links_of
from core.views import FilmPanel, film_figure, standalone
from core.views.film import WHOLE, as_shares, errors_of
from core.views.payload import unpack
from core.views.runs import COLOURS
from tests.views.runs import panel_of
from tests.views.test_standalone import opened
from tests.views.traces import archive, table

STEPS = (0, 20, 40, 60)
PANELS = (panel_of(STEPS, about="layer 0, mean over heads"), panel_of((0, 30), "run 2"))


def test_the_payload_gives_the_weights_back_to_five_decimals():
    weights = np.random.default_rng(0).dirichlet(np.ones(4), (3, 4))
    header, arrays = unpack(film_figure([panel_of((0, 1, 2), weights=weights)]).payload)
    assert arrays["weights0"].dtype == np.uint16
    np.testing.assert_allclose(arrays["weights0"] / WHOLE, weights, atol=0.51 / WHOLE)
    assert header["panels"][0]["rows"] == ["c", "b", "a", "</s>"]
    assert as_shares(np.array([0, 1, np.nan, 1.2, -0.1])).tolist() == [0, WHOLE, 0, WHOLE, 0]


def test_each_panel_has_its_own_frames_gold_and_colour():
    header, arrays = unpack(film_figure(PANELS).payload)
    first, second = header["panels"]
    assert (first["steps"], second["steps"]) == ([0, 20, 40, 60], [0, 30])
    assert (first["colour"], second["colour"], second["dash"]) == (*COLOURS, "dash")
    assert first["sure"] == [[0, 2], [1, 1], [2, 0]]
    assert arrays["weights1"].shape == (2, 4, 4)
    alone, _ = unpack(film_figure([panel_of(STEPS, run=1)]).payload)
    assert alone["panels"][0]["colour"] == COLOURS[1]


def test_the_error_rate_of_a_frame_is_that_of_its_largest_weights():
    panel = panel_of(STEPS)
    by_hand = [error_rate(links_of(frame[:3], [0, 1, 2]), panel.sure, panel.possible).error for frame in panel.weights]
    assert errors_of(panel) == pytest.approx(by_hand)
    assert by_hand[0] > 0.6
    assert by_hand[-1] == 0


def test_rows_without_gold_do_not_count():
    links = frozenset({(0, 2), (2, 0)})
    assert errors_of(panel_of(STEPS, sure=links, possible=links))[-1] == 0


def test_given_error_rates_are_kept_and_none_is_made_up():
    panel = panel_of((0, 1), errors=[0.25, math.nan])
    header, _ = unpack(film_figure([panel]).payload)
    assert header["panels"][0]["errors"] == [0.25, None]
    assert all(map(math.isnan, errors_of(panel_of((0, 1), sure=frozenset(), possible=frozenset()))))


@pytest.mark.parametrize(
    ("steps", "wrong", "words"),
    [
        ((0, 1), {"rows": ("a",)}, "labels need"),
        ((0, 1), {"weights": np.zeros((1, 4, 4))}, "labels need"),
        ((0, 1), {"errors": [0.1]}, "1 error rates for 2 frames"),
        ((0, 0), {}, "rise"),
        ((1, 0), {}, "rise"),
    ],
)
def test_frames_that_do_not_fit_are_refused(steps: tuple[int, int], wrong: dict[str, object], words: str):
    with pytest.raises(ValueError, match=words):
        panel_of(steps, **wrong)


def test_the_table_holds_every_cell_exactly():
    weights = np.random.default_rng(1).dirichlet(np.ones(4), (2, 4)).astype(np.float32)
    possible = frozenset({(0, 2), (1, 1), (2, 0), (2, 1)})
    panels = [panel_of((0, 20), "=run", rows=("c", "-1", "a", "</s>"), weights=weights, possible=possible), PANELS[1]]
    rows = table(film_figure(panels).csv())
    assert len(rows) == 2 * 2 * 16
    own = rows[rows["panel"] == "'=run"]
    np.testing.assert_array_equal(own["weight"].to_numpy(np.float32).reshape(2, 4, 4), weights)
    cell = own[(own["step"] == 20) & (own["row"] == 1) & (own["column"] == 1)].iloc[0]
    assert (cell["row_token"], cell["column_token"], cell["gold"]) == ("'-1", "b", "sure")
    assert own["gold"].value_counts().to_dict() == {"no": 24, "sure": 6, "possible": 2}


def test_the_archive_holds_the_films_and_the_caption():
    figure = film_figure(PANELS)
    arrays = archive(figure.npz())
    np.testing.assert_array_equal(arrays["weights_1"], PANELS[0].weights.astype(np.float32))
    assert arrays["steps_2"].tolist() == [0, 30]
    assert arrays["sure_1"].tolist() == [[0, 2], [1, 1], [2, 0]]
    assert arrays["columns_1"].tolist() == ["a", "b", "c", "</s>"]
    assert str(arrays["caption"]) == figure.caption


def test_the_caption_says_what_is_shown_and_how_it_was_made():
    words = film_figure(PANELS, "Reverse task").caption
    for part in (
        "run 1: layer 0, mean over heads",
        "Reverse task",
        "cross-attention over 4 × 4 tokens of one fixed example",
        "teacher forcing, not used in training",
        "from 0 to a weight of 1",
        "each row sums to 1",
        "gold links: where the weight should lie",
        "with one gold link a row that is 1 minus the gold alignment of this example",
        "alignment error rate (AER)",
        "4 frames and 2 frames, steps 0 to 60",
    ):
        assert part in words
    assert "rows sum to 1 or less" in film_figure([panel_of((0,), weights=np.full((1, 4, 4), 0.2))]).caption
    assert film_figure([panel_of((0,))]).caption.endswith("1 frame, step 0")
    several = frozenset({(0, 2), (0, 1), (1, 1), (2, 0)})
    assert "1 minus" not in film_figure([panel_of((0,), possible=several)]).caption


def test_no_frame_and_no_panel_have_figures_too():
    for panels in ([], [panel_of(())]):
        figure = film_figure(panels)
        assert unpack(figure.payload)[0]["figure"]["name"] == "film"
        assert "frame," not in figure.caption
        assert figure.csv()
        assert figure.npz()


def test_spaces_and_endless_labels_can_be_seen():
    cols = ("\n", " ", "x" * 500, "</s>")
    header, _ = unpack(film_figure([panel_of((0,), cols=cols)]).payload)
    assert header["panels"][0]["cols"][:2] == ["⏎", "␣"]
    assert len(header["panels"][0]["cols"][2]) < 420


@contextmanager
def shown(browser, folder: Path, *panels: FilmPanel, scheme: str = "light") -> Iterator[tuple[Page, Locator]]:
    """A film as a page of its own, drawn."""
    with opened(browser, film_figure(panels), folder, scheme) as page:
        film = page.locator(".headlight.film[data-drawn]")
        film.wait_for()
        yield page, film


def cell(film: Locator, row: int, col: int) -> dict[str, float]:
    """The middle of a cell in its canvas."""
    left, top, wide, high = (float(film.get_attribute(f"data-{name}") or 0) for name in ("left", "top", "wide", "high"))
    return {"x": left + (col + 0.5) * wide, "y": top + (row + 0.5) * high}


def update(page: Page, *panels: FilmPanel) -> None:
    """What Streamlit does when new frames have arrived."""
    page.evaluate(
        """(bytes) => drawFigure({ data: Uint8Array.from(bytes), parentElement: document.querySelector('#figure'),
        setTriggerValue() {} })""",
        list(film_figure(panels).payload),
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_its_own_opens_at_the_last_frame_and_tells_the_exact_weight(browser, tmp_path: Path, scheme: str):
    weights = np.random.default_rng(2).dirichlet(np.ones(4), (4, 4))
    remark = "no gold link · largest weight of its row" if weights[-1, 1].argmax() == 2 else "no gold link"
    with shown(browser, tmp_path, panel_of(STEPS, weights=weights), PANELS[1], scheme=scheme) as (_, film):
        assert film.locator(".step-number").inner_text() == "60"
        assert film.locator(".panel-step").all_inner_texts() == ["", "step 30"]
        film.locator("canvas.cells").first.hover(position=cell(film, 1, 2))
        lines = film.locator(".tooltip.shown > div").all_inner_texts()
        assert lines == ["b → c", f"weight {weights[-1, 1, 2]:.3f}", "output 2 of 4, source 3 of 4", remark]
        painted = film.locator("canvas.cells").first.evaluate(
            """(canvas) => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size"""
        )
        assert painted > 20


def test_the_keyboard_moves_through_frames_and_cells_and_says_where_it_is(browser, tmp_path: Path):
    with shown(browser, tmp_path, *PANELS) as (_, film):
        slider = film.get_by_role("slider", name="Frame")
        slider.press("Home")
        assert film.get_attribute("data-step") == "0"
        slider.press("ArrowRight")
        assert film.get_attribute("data-step") == "20"
        assert slider.get_attribute("aria-valuetext") == "step 20, run 1 error rate 0.00, run 2 error rate 0.67"
        canvas = film.locator("canvas.cells").first
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            canvas.press(key)
        spoken = film.locator(".live").inner_text()
        assert re.fullmatch(r"output b, source b, weight 0\.\d{3}, gold link · largest weight of its row", spoken)
        film.get_by_role("button", name="Next frame").click()
        assert film.get_attribute("data-step") == "30"
        film.get_by_role("button", name="Latest").click()
        assert film.get_attribute("data-step") == "60"
        assert not film.get_by_role("button", name="Latest").is_visible()


def test_new_frames_are_followed_unless_somebody_looks_back(browser, tmp_path: Path):
    with shown(browser, tmp_path, panel_of((0, 20), growing=True)) as (page, film):
        update(page, panel_of((0, 20, 40), growing=True))
        assert film.get_attribute("data-step") == "40"
        slider = film.get_by_role("slider")
        slider.press("ArrowLeft")
        film.locator("canvas.cells").hover(position=cell(film, 0, 0))
        update(page, panel_of((0, 20, 40, 60), growing=True))
        assert (film.get_attribute("data-step"), film.get_attribute("data-frames")) == ("20", "4")
        assert slider.evaluate("(slider) => slider === document.activeElement && slider.value") == "1"
        assert film.locator(".tooltip.shown").count() == 1
        film.get_by_role("button", name="Latest").click()
        update(page, panel_of((0, 20, 40, 60, 80)))
        assert film.get_attribute("data-step") == "80"


def test_of_two_runs_the_step_that_both_have_reached_is_followed_and_another_film_begins_anew(browser, tmp_path: Path):
    with shown(browser, tmp_path, PANELS[0], panel_of((0, 20), "run 2", growing=True)) as (page, film):
        assert film.get_attribute("data-step") == "20"
        film.get_by_role("slider").press("Home")
        update(page, panel_of((0, 10)))
        assert film.get_attribute("data-step") == "10"
        assert film.locator("canvas.cells").count() == 1


def test_another_head_of_the_same_runs_shows_the_same_step(browser, tmp_path: Path):
    with shown(browser, tmp_path, panel_of(STEPS, about="head 0")) as (page, film):
        film.get_by_role("slider").press("Home")
        update(page, panel_of(STEPS, about="head 1"))
        assert film.get_attribute("data-step") == "0"
        assert film.locator(".panel-about").inner_text() == "head 1"


def test_the_maps_end_in_a_low_window_and_the_slider_ends_with_them(browser, tmp_path: Path):
    labels = (*"abcdefghij", "</s>")
    weights = np.full((2, 11, 11), 1 / 11)
    panels = [panel_of((0, 1), name, rows=labels, cols=labels, weights=weights) for name in "ab"]
    with shown(browser, tmp_path, *panels) as (page, film):
        drawn = film.get_attribute("data-drawn") or ""
        page.set_viewport_size({"width": 1100, "height": 540})
        expect(film).not_to_have_attribute("data-drawn", drawn)
        assert 1.2 < float(film.get_attribute("data-wide") or 0) / float(film.get_attribute("data-high") or 0) < 2
        slider, last = film.get_by_role("slider").bounding_box(), film.locator("canvas.cells").last.bounding_box()
        assert slider
        assert last
        assert last["y"] + last["height"] < 540
        assert slider["x"] + slider["width"] == pytest.approx(last["x"] + last["width"], abs=2)


def test_the_film_plays_through_new_frames_and_stops(browser, tmp_path: Path):
    with shown(browser, tmp_path, panel_of(STEPS, growing=True)) as (page, film):
        page.clock.install()
        play = film.get_by_role("button", name="Play", exact=True)
        play.click()
        assert film.get_attribute("data-step") == "0"
        page.clock.run_for(2500)
        assert film.get_attribute("data-step") == "20"
        update(page, panel_of((*STEPS, 80), growing=True))
        page.clock.run_for(100)
        assert film.get_attribute("data-step") == "20"
        assert film.locator(".play").inner_text() == "Pause"
        page.clock.run_for(4000)
        assert film.get_attribute("data-step") == "80"
        assert film.locator(".play").inner_text() == "Play"


def test_the_picture_is_that_of_the_frame(browser, tmp_path: Path):
    with shown(browser, tmp_path, *PANELS) as (page, film):
        film.get_by_role("slider").press("Home")
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG picture").click()
        picture = Path(download.value.path()).read_text("utf-8")
        assert download.value.suggested_filename == "film_run-1_run-2.svg"
        assert "shown: step 0 · outlined: gold link" in re.sub(r"\s*<[^>]+>\s*", " ", picture)
        assert picture.count(">source →<") == 2


def test_hostile_labels_stay_words(browser, tmp_path: Path):
    hostile = "<img src=x onerror='window.broken = 1'></script>"
    rows = (hostile, "猫", "שלום", "</s>")
    with shown(browser, tmp_path, panel_of(STEPS, hostile, rows=rows, about=hostile)) as (page, film):
        film.locator("canvas.cells").hover(position=cell(film, 0, 0))
        assert film.locator(".panel-label").inner_text() == hostile
        assert film.locator(".tooltip.shown").inner_text().startswith("<img␣src=x␣onerror=")
        assert page.evaluate("window.broken") is None


def test_the_page_is_complete_in_itself():
    page = standalone(film_figure(PANELS), {}).decode()
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
