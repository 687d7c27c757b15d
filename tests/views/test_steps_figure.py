"""A translation step by step: what each step shows, how one goes from step to step, and choosing another token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.capture import NextToken
from core.views import Steps, steps_figure
from core.views.payload import unpack
from core.views.steps import chosen_place
from tests.views.aligned import GOLDEN, OUTPUT, SOURCE, steps_of
from tests.views.test_standalone import opened
from tests.views.traces import archive, table

MODEST = np.array([[0.7, 0.2, 0.1, 0], [0.1, 0.3, 0.6, 0], [0.1, 0.85, 0.05, 0], [0, 0, 0.001, 0.999]], np.float32)


def test_the_payload_holds_weights_tokens_and_next_tokens():
    header, arrays = unpack(steps_figure(steps_of(MODEST, forced=1)).payload)
    np.testing.assert_array_equal(arrays["weights"], MODEST)
    assert header["next"][1][1] == [4, "chat", 0.3]
    assert (header["tokens"], header["forced"]) == (list(OUTPUT), 1)
    assert header["probabilities"] == [0.5, 0.3, 0.01, 0.9]


def test_the_token_that_came_is_found_by_id_or_else_by_label_and_probability():
    steps = steps_of()
    assert [chosen_place(steps, step) for step in range(4)] == [0, 1, -1, 0]
    assert [chosen_place(steps_of(ids=()), step) for step in range(4)] == [0, 1, -1, 0]
    twins = ((NextToken(1, "le", 0.6), NextToken(2, "le", 0.3)),) * 4
    assert chosen_place(steps_of(ids=(), alternatives=twins, chosen_probability=(0.3,) * 4), 0) == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"weights": GOLDEN[:2]}, r"shape \(2, 4\)"),
        ({"chosen_probability": (0.1,)}, "1 probabilities for 4 tokens"),
        ({"alternatives": ()}, "0 alternatives for 4 tokens"),
        ({"ids": (1,)}, "1 ids for 4 tokens"),
    ],
)
def test_parts_that_do_not_fit_are_refused(wrong: dict[str, object], words: str):
    with pytest.raises(ValueError, match=words):
        steps_of(**wrong)


def test_the_caption_says_what_is_shown_and_how_it_was_made():
    words = steps_figure(steps_of(forced=2), about="English to French").caption
    for part in (
        "gru: mean over heads",
        "4 tokens of output over 4 words of the source",
        "read with output",
        "tokens of a source word summed",
        "from 0 to a weight of 1",
        "each row sums to 1",
        "softmax over the whole vocabulary",
        "the first 2 fixed by the user",
    ):
        assert part in words
    assert not unpack(steps_figure(steps_of()).payload)[0]["remark"]
    assert unpack(steps_figure(steps_of(), reads="input").payload)[0]["remark"].startswith("weights of the step after")
    without = steps_figure(steps_of(None)).caption
    assert "no attention, so the source has no colours" in without
    assert "sums to 1" not in without


def test_the_exports_hold_weights_and_next_tokens():
    figure = steps_figure(steps_of(MODEST, forced=1))
    rows = table(figure.csv())
    weights = rows[rows["of"] == "source word"]
    np.testing.assert_array_equal(weights["weight"].to_numpy(np.float32).reshape(4, 4), MODEST)
    second = rows[(rows["of"] == "next token") & (rows["step"] == 1)]
    assert second["id"].astype(float).tolist() == [5, 4, 6]
    assert second["probability"].astype(float).tolist() == [0.6, 0.3, 0.05]
    assert rows.groupby("step")["fixed"].first().tolist() == [True, False, False, False]
    arrays = archive(figure.npz())
    assert arrays["next_ids"][1].tolist() == [5, 4, 6]
    assert arrays["fixed"].tolist() == [True, False, False, False]
    assert "weights" not in archive(steps_figure(steps_of(None)).npz())


def test_an_empty_output_has_a_figure_too():
    empty = Steps("gru", "", SOURCE, np.zeros((0, 4), np.float32), (), (), ())
    figure = steps_figure(empty, span="all")
    assert unpack(figure.payload)[0]["tokens"] == []
    assert figure.csv()
    assert figure.npz()


@contextmanager
def shown(browser, folder: Path, steps: Steps, scheme: str = "light") -> Iterator[tuple[Page, Locator]]:
    """The steps as a page of its own, drawn; `told` in the page lists what Python would hear."""
    with opened(browser, steps_figure(steps), folder, scheme) as page:
        root = page.locator(".headlight.steps[data-drawn]")
        root.wait_for()
        yield page, root


def answer(page: Page, steps: Steps) -> None:
    """What Streamlit does when Python has answered: draw anew, and listen."""
    page.evaluate(
        """(bytes) => { globalThis.told ??= []; document.querySelector("#payload")?.remove();
        drawFigure({ data: Uint8Array.from(bytes), parentElement: document.querySelector("#figure"),
        setTriggerValue: (name, value) => told.push([name, value]) }); }""",
        list(steps_figure(steps).payload),
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_step_colours_the_source_and_shows_the_output_so_far(browser, tmp_path: Path, scheme: str):
    with shown(browser, tmp_path, steps_of(MODEST, forced=1), scheme) as (_, root):
        assert root.locator(".chip-number").all_inner_texts() == ["0.70", "0.20", "0.10", "0"]
        root.get_by_role("button", name="Next token", exact=True).click()
        root.get_by_role("slider", name="Step").press("End")
        assert root.locator(".chip-number").all_inner_texts() == ["0", "0", "<0.01", "1.00"]
        colours = root.locator(".chip").evaluate_all("(all) => new Set(all.map((each) => each.style.background)).size")
        assert colours > 1
        tokens = root.locator("button.token")
        tokens.nth(2).click()
        assert tokens.nth(2).get_attribute("aria-current") == "step"
        assert [tokens.nth(place).is_visible() for place in range(4)] == [True, True, True, False]
        assert tokens.first.get_attribute("title") == "Fixed by you"
        outside = root.locator(".next-token.came")
        assert outside.all_inner_texts() == ["noir\n1.0 %\nwritten"]
        root.locator(".chip").nth(1).hover()
        assert root.locator(".tooltip.shown").inner_text().splitlines() == ["noir → black", "weight 0.8500"]


def test_the_arrow_keys_step_through_the_output_and_say_where_it_is(browser, tmp_path: Path):
    with shown(browser, tmp_path, steps_of(MODEST)) as (page, root):
        root.locator("button.token").first.press("ArrowRight")
        assert root.get_attribute("data-step") == "2"
        spoken = root.locator(".live").inner_text()
        assert spoken == "step 2 of 4, chat, probability 30.0 %, most weight on cat 0.60, black 0.30, the 0.10"
        assert page.evaluate("document.activeElement.innerText") == "chat"
        root.get_by_role("slider", name="Step").press("ArrowLeft")
        assert root.get_attribute("data-step") == "1"
        assert page.evaluate("[headlight.selection.step, headlight.selection.stepOf]") == [0, "gru"]
        root.locator(".next-token.came").press("ArrowDown")
        assert page.evaluate("document.activeElement.querySelector('.next-label').innerText") == "un"


def test_another_token_is_asked_for_and_the_answer_shows_the_same_step(browser, tmp_path: Path):
    with shown(browser, tmp_path, steps_of(MODEST)) as (page, root):
        root.locator(".next-token").nth(1).click()
        expect(root.locator(".status")).to_contain_text("In Headlight the model would write on")
        answer(page, steps_of(MODEST))
        root.locator("button.token").first.press("ArrowRight")
        root.get_by_role("button", name="chien").click()
        expect(root.locator(".status")).to_contain_text("Writing on with “chien”")
        assert page.evaluate("told") == [["alternative", {"step": 1, "id": 5}]]
        answer(page, steps_of(MODEST, tokens=("le", "chien", "noir", "</s>"), ids=(1, 5, 9, 0), forced=2))
        assert root.get_attribute("data-step") == "2"
        assert root.locator(".status").inner_text() == ""
        assert root.locator(".next-token.came").inner_text() == "chien\n60.0 %\nfixed by you"


def test_playing_shows_every_token_and_stops(browser, tmp_path: Path):
    with shown(browser, tmp_path, steps_of(MODEST)) as (page, root):
        page.clock.install()
        root.get_by_role("button", name="Play", exact=True).click()
        seen = []
        for _ in range(4):
            seen.append(root.get_attribute("data-step"))
            page.clock.run_for(950)
        assert seen == ["1", "2", "3", "4"]
        assert root.locator(".play").inner_text() == "Play"


def test_only_what_the_reader_chose_counts_as_fixed() -> None:
    figure = steps_figure(steps_of(MODEST, forced=3, own=(0, 2)))
    assert "2 of the first 3 fixed by the user, the others kept before a choice" in figure.caption
    assert unpack(figure.payload)[0]["own"] == [0, 2]
    assert archive(figure.npz())["fixed"].tolist() == [True, False, True, False]


def test_a_model_without_attention_has_steps_without_colours_and_the_picture_shows_the_step(browser, tmp_path: Path):
    hostile = "<img src=x onerror='window.broken = 1'>"
    steps = steps_of(None, source=(hostile, "猫", "القط", "</s>"), tokens=(hostile, *OUTPUT[1:]), ids=())
    small = (0.9999, 0.25, 0.00995, 0.0006, 3.14e-5, 2e-7, 0)
    steps = replace(steps, alternatives=(tuple(NextToken(i, str(i), share) for i, share in enumerate(small)),) * 4)
    with shown(browser, tmp_path, steps) as (page, root):
        assert root.locator(".chip-number").count() == 0
        assert not root.locator(".legend").is_visible()
        with page.expect_download() as download:
            page.get_by_role("button", name="SVG picture").click()
        picture = Path(download.value.path()).read_text("utf-8")
        assert "shown: step 1 of 4" in " ".join(re.sub("<[^>]+>", " ", picture).split())
        words = [">99.9 %", "25.0 %", "1.0 %", "0.06 %", "0.0031 %", "<0.0001 %", "0 %", "50.0 %"]
        assert root.locator(".next-number").all_inner_texts() == words
        widths = root.locator(".next-bar").evaluate_all("(all) => all.map((each) => parseFloat(each.style.width))")
        assert widths[1:4] == pytest.approx([50, 100 * 0.00995**0.5, 100 * 0.0006**0.5], rel=1e-3)
        assert "<img" not in picture
        assert page.evaluate("window.broken") is None
