"""The Attention page in a real browser: what is drawn is what eager attention computes."""

from __future__ import annotations

import re

import pytest
import torch
from playwright.sync_api import expect
from transformers import AutoModel

from core.heads import survey
from core.models.catalogue import find
from tests.e2e.browser import FIGURES, App, opened_app

COLOURS_ON_CANVAS = """(root) => Math.max(...[...root.querySelectorAll('canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size; }))"""
# Of two tiles: the pixels inside them, and whether a line in the colour of what is selected runs just outside.
TILE_PIXELS = """(root, [layerA, headA, layerB, headB]) => {
  const canvas = root.querySelector('canvas.tiles'), box = canvas.getBoundingClientRect();
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const read = ([layer, head]) => {
    const { left, top, right, bottom } = [...root.querySelectorAll('.buttons button')]
      .find((button) => button.getAttribute('aria-label').startsWith(`Layer ${layer} head ${head},`))
      .getBoundingClientRect();
    const pixels = (x, y, width, height) => [...context.getImageData(
      Math.round(x - box.left), Math.round(y - box.top), Math.round(width), Math.round(height)).data];
    const [width, height] = [right - left, bottom - top];
    const around = pixels(left - 2, top - 2, width + 4, 8);
    const isAccent = (at) => around[at] > 200 && around[at + 1] > 60 && around[at + 1] < 150 && around[at + 2] < 70;
    return {
      inside: pixels(left + width * 0.2, top + height * 0.2, width * 0.6, height * 0.6).join(),
      outlined: around.some((_, at) => at % 4 === 0 && isAccent(at)),
    };
  };
  const found = [[layerA, headA], [layerB, headB]].map(read);
  return { inside: found.map(({ inside }) => inside), outlined: found.map(({ outlined }) => outlined) };
}"""
PRONOUN = "The animal didn't cross the street because it was too tired."
MEAN_BRIGHTNESS = """(root) => { const canvas = root.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(canvas.width >> 1, canvas.height >> 1, 60, 60);
  return data.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / data.length; }"""


@pytest.fixture(scope="module")
def eager():
    """Attention as the library's own eager path returns it: ids -> [layers, heads, T, T]."""
    entry = find("all-MiniLM-L6-v2")
    model = AutoModel.from_pretrained(entry.locate(), attn_implementation="eager").eval()

    def attention(ids: tuple[int, ...]) -> torch.Tensor:
        with torch.no_grad():
            return torch.cat(model(torch.tensor([ids]), output_attentions=True).attentions)

    return attention


def test_a_first_visit_draws_an_example_and_says_what_to_look_at(app: App):
    app.open()
    for name in FIGURES:
        assert app.figure(name).evaluate(COLOURS_ON_CANVAS) > 20
    assert any("more than half of its weight" in note for note in app.notes())
    expect(app.page.get_by_role("heading", name="Layer 3 · Head 1")).to_be_visible()


@pytest.mark.parametrize(
    ("text", "layer", "head"),
    [
        ("The cat 猫 sat on the mat 🐱, and the cat slept.", 2, 8),
        ("猫追老鼠", 5, 11),
        ("x", 0, 0),
    ],
)
def test_the_hovered_value_is_eager_attention(app: App, minilm, eager, text: str, layer: int, head: int):
    tokens = minilm.encoder.encode(text)
    expected = eager(tokens.ids)[layer, head]
    app.open().analyse(text)
    app.tile(layer, head).click()
    expect(app.page.get_by_role("heading", name=f"Layer {layer} · Head {head}")).to_be_visible()
    app.drawn()
    count = len(tokens)
    for row, col in {(0, 0), (1, count - 1), (count - 1, 1), (count // 2, count // 2), (count - 2, 0)}:
        title, value, place = app.hover_cell(row, col, count, count)[:3]
        assert title == f"{tokens.labels[row]} → {tokens.labels[col]}"
        assert place == f"query {row}, key {col}"
        assert float(value) == pytest.approx(float(expected[row, col]), rel=1e-3, abs=1e-5)


def test_a_clicked_tile_reaches_the_url_and_a_reload_gives_the_same_view(app: App):
    app.open()
    for layer, head in ((4, 7), (0, 0)):
        app.tile(layer, head).click()
        expect(app.tile(layer, head)).to_have_attribute("aria-pressed", "true")
        app.page.wait_for_url(re.compile(rf"(?=.*layer={layer}\b)(?=.*head={head}\b)"))
    app.page.reload()
    app.drawn()
    expect(app.page.get_by_role("heading", name="Layer 0 · Head 0")).to_be_visible()
    expect(app.tile(0, 0)).to_have_attribute("aria-pressed", "true")


def test_a_link_opens_model_layer_head_scale_and_number_format(app: App):
    app.open(model="all-MiniLM-L6-v2", layer=5, head=2, scale="log", dtype="bfloat16")
    expect(app.page.get_by_role("heading", name="Layer 5 · Head 2")).to_be_visible()
    expect(app.page.locator(".provenance")).to_contain_text("bfloat16")
    caption = app.page.locator(".st-key-heatmap_card .caption").inner_text()
    assert "layer 5, head 2" in caption
    assert "logarithmic colour scale" in caption


def test_a_nonsense_link_falls_back_and_says_so(app: App):
    app.open(layer=99, head="x", scale="no", model="<script>", dtype="int3")
    expect(app.page.get_by_role("heading", name="Layer 0 · Head 0")).to_be_visible()
    assert "There is no layer 99 in this model, which has 0 to 5: layer 0 is shown." in app.notes()
    assert "There is no head x in this layer, which has 0 to 11: head 0 is shown." in app.notes()


def test_a_head_switch_does_not_run_the_model_again(app: App):
    app.open()
    drawn = app.page.locator(".st-key-headview_card .caption").inner_text()
    app.page.get_by_role("spinbutton", name="Head (0–11)").fill("4")
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_role("heading", name="Layer 3 · Head 4")).to_be_visible()
    expect(app.page.get_by_role("button", name="Head 4", exact=True)).to_have_attribute("aria-pressed", "true")
    assert app.drawn().page.locator(".st-key-headview_card .caption").inner_text() == drawn


def test_back_returns_to_the_view_before_in_one_step(app: App):
    app.open()
    app.tile(2, 8).click()
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 8")).to_be_visible()
    app.page.wait_for_url(re.compile("layer=2"))
    app.tile(1, 1).click()
    expect(app.page.get_by_role("heading", name="Layer 1 · Head 1")).to_be_visible()
    app.page.wait_for_url(re.compile("layer=1"))
    app.page.go_back()
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 8")).to_be_visible()
    app.page.go_back()
    expect(app.page.get_by_role("heading", name="Layer 3 · Head 1")).to_be_visible()


def test_the_figures_keep_their_place_while_heads_are_compared(app: App):
    app.open()
    before = app.figure("overview").bounding_box()
    app.tile(2, 1).click()
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 1")).to_be_visible()
    assert app.idle().figure("overview").bounding_box() == before


def test_a_clicked_cell_stays_while_the_pointer_is_elsewhere(app: App):
    count = len(app.open().queries())
    pointed = app.hover_cell(10, 2, count, count)
    app.page.mouse.down()
    app.page.mouse.up()
    app.page.mouse.move(0, 0)
    tooltip = app.figure("heatmap").locator(".tooltip.shown > div")
    assert tooltip.all_inner_texts() == pointed
    assert pointed[0] == "it → animal"


def test_what_is_picked_in_one_figure_is_picked_in_all(app: App):
    app.open()
    view = app.figure("headview")
    view.get_by_role("button", name="Query 6 cross", exact=True).click()
    picked = app.card("heatmap").locator(".picked")
    expect(picked).to_contain_text("Query 6 “cross” attends most to")
    app.idle().view("Text")
    expect(app.figure("text").locator(".part.held")).to_have_text("cross")
    app.view("Query–key")
    expect(app.figure("querykey").get_by_role("combobox")).to_have_value("6")


def test_a_tile_names_its_head_and_measures_and_is_outlined_in_the_gap(app: App, minilm):
    measures = survey(minilm.run(PRONOUN), "self").measures
    app.open(view="overview", layer=3, head=1)
    overview = app.figure("overview")
    app.tile(4, 6).hover()
    lines = overview.locator(".tooltip.shown > div").all_inner_texts()
    assert lines[0] == "Layer 4 · Head 6"
    for measure, name in {"entropy": "entropy", "distance": "mean distance", "own": "own token"}.items():
        said = next(line for line in lines if line.startswith(name))
        value, uniform = (float(number) for number in re.findall(r"[\d.]+", said))
        assert value == pytest.approx(float(getattr(measures[4], measure)[6]), abs=0.051)
        assert uniform == pytest.approx(getattr(measures[4], f"uniform_{measure}"), abs=0.051)
    app.page.mouse.move(0, 0)
    before = overview.evaluate(TILE_PIXELS, [3, 1, 2, 5])
    app.tile(2, 5).click()
    expect(app.page.get_by_role("heading", name="Layer 2 · Head 5")).to_be_visible()
    app.idle().page.mouse.move(0, 0)
    after = overview.evaluate(TILE_PIXELS, [3, 1, 2, 5])
    # The outline lies in the gap: the tiles themselves keep every pixel.
    assert after["inside"] == before["inside"]
    assert [before["outlined"], after["outlined"]] == [[True, False], [False, True]]


def test_the_mean_over_heads_outlines_the_layer_and_another_click_opens_a_head(app: App):
    app.open(view="overview", layer=1, head="mean")
    pixels = app.figure("overview").evaluate(TILE_PIXELS, [1, 0, 1, 11])
    assert pixels["outlined"] == [True, True]
    expect(app.figure("overview").locator("button[aria-pressed=true]")).to_have_count(0)
    app.tile(0, 3).click()
    expect(app.page.get_by_role("heading", name="Layer 0 · Head 3")).to_be_visible()


def test_keyboard_alone_opens_a_head_and_reads_a_cell(app: App):
    app.open(layer=0, head=0)
    app.tile(0, 0).focus()
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("ArrowRight")
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_role("heading", name="Layer 1 · Head 1")).to_be_visible()
    heatmap = app.drawn().figure("heatmap")
    heatmap.locator("canvas.cursor").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowRight"):
        app.page.keyboard.press(key)
    expect(heatmap.locator(".live")).to_contain_text("query 1 The, key 1 The")


def test_an_example_opens_with_its_head_and_its_hint(app: App):
    app.open()
    app.page.get_by_role("radio", name="Repeated words").click()
    expect(app.page.get_by_role("heading", name="Layer 0 · Head 2")).to_be_visible()
    app.drawn()
    assert any("the four words “the”" in note for note in app.notes())
    app.page.wait_for_url(re.compile("example=repeated-words"))
    labels = app.queries()
    assert labels == ["[CLS]", "the", "cat", "and", "the", "dog", "and", "the", "the", "bird", "[SEP]"]


def test_a_theme_switch_recolours_the_figures(app: App):
    app.open()
    figure = app.figure("heatmap")
    light = figure.evaluate(MEAN_BRIGHTNESS)
    app.page.emulate_media(color_scheme="dark")
    app.page.wait_for_function(
        f"([root, light]) => ({MEAN_BRIGHTNESS})(root) < light / 2", arg=[figure.element_handle(), light]
    )


def test_two_browser_sessions_do_not_see_each_other(app: App, browser, server: str):
    app.open().analyse("one session")
    with opened_app(browser, server) as other:
        other.open().analyse("quite another session")
        assert app.queries() == ["[CLS]", "one", "session", "[SEP]"]
        assert other.queries() == ["[CLS]", "quite", "another", "session", "[SEP]"]
        assert other.problems == []
