"""The controls beside the figures: second text, mean over heads, words, special tokens; and the panel of measures."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from core.heads import Filters, attention_map, survey
from tests.e2e.browser import App
from tests.e2e.reading import RAMP, show_display, swept

PRONOUN = "The animal didn't cross the street because it was too tired."
COMPOUND = "Unbelievably, the antidisestablishmentarians overslept."
# Names of the measures in the panel, and the field of each.
PANEL = {
    "Entropy": "entropy",
    "Mean distance": "distance",
    "On the first token": "first",
    "On the previous token": "previous",
    "On the next token": "next",
    "On special tokens": "special",
    "On the own token": "own",
}


def shows(app: App, expected) -> None:
    """The heatmap shows this map: its labels, its numbers, and what is left out of each row."""
    weights = expected.weights[0]
    count = len(expected.cols)
    cells = [(row, (3 * row + 1) % count) for row in range(len(expected.rows))] + [(0, 0), (1, count - 1)]
    for lines, (row, col) in zip(swept(app, cells), cells, strict=True):
        assert lines is not None
        assert lines[0] == f"{expected.rows.labels[row]} → {expected.cols.labels[col]}"
        assert lines[2] == f"query {expected.rows.places[row]}, key {expected.cols.places[col]}"
        assert float(lines[1]) == pytest.approx(float(weights[row, col]), rel=6e-4, abs=1e-7)
        said = [re.match(r"(\S+) of this row lies on tokens left out", line) for line in lines]
        shares = [float(found[1]) for found in said if found]
        left_out = float(expected.left_out[0, row])
        assert shares == ([] if left_out == 0 else [pytest.approx(left_out, abs=0.006)])
    heatmap = app.figure("heatmap")
    size = int(heatmap.get_attribute("data-last-row") or 0) + 1, int(heatmap.get_attribute("data-last-col") or 0) + 1
    assert size == tuple(weights.shape)


def test_words_special_tokens_and_the_mean_are_those_of_the_tensor(app: App, minilm):
    trace = minilm.run(COMPOUND)
    app.open(view="heatmap", layer=2, head=5, text=COMPOUND)
    caption, page = app.card("heatmap").locator(".caption"), app.page

    def wanted(heads: list[int] | None, **filters: object):
        found = attention_map(trace, "self", 2, heads, Filters(**filters))
        return found if heads else found.mean()

    shows(app, wanted([5]))
    assert "no token left out" in caption.inner_text()
    sidebar = show_display(app)
    sidebar.get_by_text("Merge to words").click()
    page.wait_for_url(re.compile("words=1"))
    expect(caption).to_contain_text("tokens merged to words: columns summed, rows averaged")
    shows(app.idle(), wanted([5], words=True))
    sidebar.get_by_role("radio", name="Hide", exact=True).click()
    page.wait_for_url(re.compile("special=hide"))
    expect(caption).to_contain_text("special tokens left out, rows not renormalised")
    expect(caption).to_contain_text("rows sum to less than 1")
    shows(app.idle(), wanted([5], words=True, special="hide"))
    sidebar.get_by_text("Merge to words").click()
    page.wait_for_url(re.compile(r"^((?!words=1).)*$"))
    sidebar.get_by_role("radio", name="Rescale").click()
    page.wait_for_url(re.compile("special=renormalise"))
    expect(caption).to_contain_text("special tokens left out, rows renormalised")
    renormalised = wanted([5], special="renormalise")
    assert torch.allclose(renormalised.weights.sum(-1), torch.ones(1, len(renormalised.rows)))
    shows(app.idle(), renormalised)
    sidebar.get_by_text("Mean over heads").click()
    page.wait_for_url(re.compile("head=mean"))
    expect(page.get_by_role("heading", name="Layer 2 · mean over heads")).to_be_visible()
    shows(app.idle(), wanted(None, special="renormalise"))
    assert "mean of 12 heads" in caption.inner_text()
    page.reload()
    shows(app.drawn("Heatmap"), wanted(None, special="renormalise"))


def test_a_second_text_is_read_as_a_pair(app: App, minilm):
    first, second = "Who was tired?", "The animal was too tired."
    trace = minilm.run(first, second)
    app.open(view="heatmap", layer=1, head=3, text=first)
    app.page.get_by_text("Second text").first.click()
    field = app.page.get_by_role("textbox", name="Second text")
    field.fill(second)
    field.press("Control+Enter")
    expect(app.card("heatmap").locator(".caption")).to_contain_text(f"{len(trace.tokens)} tokens")
    shows(app.idle(), attention_map(trace, "self", 1, [3]))
    app.view("Text")
    expect(app.figure("text").locator("p")).to_have_count(2)
    assert "text_pair" not in app.page.url
    app.page.get_by_role("textbox", name="Second text").fill("")
    app.page.keyboard.press("Control+Enter")
    expect(app.card("text").locator(".caption")).to_contain_text(f"{len(minilm.run(first).tokens)} tokens")


def measures_shown(app: App) -> dict[str, tuple[float, float]]:
    """Value and uniform value of each measure in the side panel."""
    rows = app.card("measures").locator("tbody tr")
    found = {}
    for i in range(rows.count()):
        name, value, uniform = rows.nth(i).locator("th, td.number").all_inner_texts()
        found[name] = (float(value.split()[0]), float(uniform.split()[0]))
    return found


def test_each_measure_stands_beside_its_uniform_value(app: App, minilm):
    measures = survey(minilm.run(PRONOUN), "self").measures
    app.open(view="overview", layer=3, head=1)
    for layer, head in ((3, 1), (0, 2)):
        app.tile(layer, head).click()
        expect(app.page.get_by_role("heading", name=f"Layer {layer} · Head {head}")).to_be_visible()
        found = measures_shown(app.idle())
        assert list(found) == list(PANEL)
        for name, field in PANEL.items():
            value = float(getattr(measures[layer], field)[head])
            uniform = getattr(measures[layer], f"uniform_{field}")
            step = 0.0501 if field == "distance" else 0.00501
            assert found[name] == (pytest.approx(value, abs=step), pytest.approx(uniform, abs=step)), name
    app.page.get_by_text("Mean over heads").click()
    expect(app.page.get_by_role("heading", name="Layer 0 · mean over heads")).to_be_visible()
    mean = float(measures[0].entropy.mean())
    assert measures_shown(app.idle())["Entropy"][0] == pytest.approx(mean, abs=0.006)
    explained = app.card("measures").get_by_text("Entropy").get_attribute("title")
    assert explained is not None
    assert "uniform" in explained


def test_layer_and_head_are_typed_and_scale_is_chosen(app: App, minilm):
    trace = minilm.run(PRONOUN)
    app.open(view="heatmap", example="pronoun")
    app.page.get_by_role("spinbutton", name="Layer (0–5)").fill("5")
    app.page.keyboard.press("Enter")
    app.page.wait_for_url(re.compile("layer=5"))
    app.idle().page.get_by_role("spinbutton", name="Head (0–11)").fill("9")
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_role("heading", name="Layer 5 · Head 9")).to_be_visible()
    shows(app.idle(), attention_map(trace, "self", 5, [9]))
    app.page.get_by_role("radio", name="log", exact=True).click()
    expect(app.card("heatmap").locator(".caption")).to_contain_text("logarithmic colour scale over 4 decades")
    expect(app.figure("heatmap").locator(".legend")).to_contain_text("log scale, 4 decades")
    shows(app.idle(), attention_map(trace, "self", 5, [9]))


# The darkest pixel of each tile of the picture of all heads.
DARKEST = """(root) => {
  const canvas = root.querySelector('canvas.tiles'), box = canvas.getBoundingClientRect();
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return [...root.querySelectorAll('.buttons button')].map((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const { data } = context.getImageData(left - box.left + 4, top - box.top + 4, width - 8, height - 8);
    let darkest = [255, 255, 255];
    for (let at = 0; at < data.length; at += 4) {
      const rgb = [data[at], data[at + 1], data[at + 2]];
      if (rgb[0] + rgb[1] + rgb[2] < darkest[0] + darkest[1] + darkest[2]) darkest = rgb;
    }
    return darkest;
  });
}"""


def test_the_tiles_are_scaled_each_or_all_together(app: App, minilm):
    trace = minilm.run(PRONOUN)
    largest = np.stack([trace.attention(layer).numpy().max((-1, -2)) for layer in range(6)]).ravel()
    # The outline of the selected tile is darker than a faint tile.
    others = np.arange(72) != 3 * 12 + 1
    for span, top in {"head": largest, "all": largest.max()}.items():
        app.open(view="overview", example="pronoun", layer=3, head=1, span=span)
        darkest = np.array(app.figure("overview").evaluate(DARKEST))
        places = np.abs(darkest[:, None] - RAMP).sum(-1).argmin(-1) / 254
        np.testing.assert_allclose(places[others], np.sqrt(largest / top)[others], atol=0.012, err_msg=span)
    assert "the largest weight of all heads" in app.caption("overview")
