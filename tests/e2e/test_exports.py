"""What a figure card exports, opened and compared with the tensors that it shows."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.e2e.browser import App, opened_app
from tests.e2e.reading import seen
from tests.views.ramp import light_ramp

TEXT = "The 猫 sat & <b>purred</b>, the cat sat."
SVG = "{http://www.w3.org/2000/svg}"
FIGURE_VIEWS = {
    "overview": "Together", "heatmap": "Together", "headview": "Together", "text": "Text", "querykey": "Query–key",
    "headmap": "Head map",
}  # fmt: skip


@pytest.fixture(scope="module")
def trace(minilm):
    return minilm.run(TEXT)


@pytest.fixture
def opened(app: App) -> App:
    return app.open(layer=2, head=4, example="pronoun").analyse(TEXT).drawn()


def test_the_heatmap_as_csv(opened: App, trace):
    table = pd.read_csv(opened.download("heatmap", "CSV table"), keep_default_na=False)
    count = len(trace.tokens)
    assert list(table["query"][::count]) == list(trace.tokens.labels)
    weights = table["weight"].to_numpy().reshape(count, count)
    np.testing.assert_allclose(weights, trace.attention(2, [4])[0], atol=1e-6)


def test_the_heatmap_as_npz(opened: App, trace):
    with np.load(opened.download("heatmap", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["weights"], trace.attention(2, [4])[0], atol=1e-6)
        assert tuple(archive["keys"]) == trace.tokens.labels
        assert "layer 2, head 4" in str(archive["caption"])


def test_all_heads_as_npz_and_csv(opened: App, trace):
    with np.load(opened.download("overview", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["tiles"][2], trace.attention(2), atol=1e-6)
    table = pd.read_csv(opened.download("overview", "CSV table"))
    assert len(table) == 6 * 12
    weights = trace.attention(2)[4].numpy().astype(float)
    entropy = float(-(weights * np.log(weights)).sum(-1).mean())
    assert table.query("layer == 2 and head == 4")["entropy_nats"].item() == pytest.approx(entropy, abs=1e-4)


def test_the_head_view_as_npz(opened: App, trace):
    with np.load(opened.download("headview", "NumPy archive")) as archive:
        np.testing.assert_allclose(archive["weights"], trace.attention(2), atol=1e-6)


def test_the_svg_of_the_heatmap_holds_every_weight_as_a_colour_and_every_token_as_text(opened: App, trace):
    root = ET.parse(opened.download("heatmap", "SVG picture")).getroot()
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for label in trace.tokens.labels:
        assert texts.count(label) >= 2 * trace.tokens.labels.count(label)
    assert any("layer 2, head 4" in (text or "") for text in texts)
    weights = trace.attention(2, [4])[0].numpy()
    np.testing.assert_allclose(_shares_of(_matrix_in(root)), weights / weights.max(), atol=0.012)


@pytest.mark.parametrize("name", FIGURE_VIEWS)
def test_every_figure_as_svg_and_png_says_what_it_shows(opened: App, name: str):
    opened.view(FIGURE_VIEWS[name])
    caption = opened.caption(name)
    root = ET.parse(opened.download(name, "SVG picture")).getroot()
    said = "".join(filter(None, (element.text for element in root.iter(f"{SVG}text"))))
    assert re.sub(r"\s", "", caption) in re.sub(r"\s", "", said)
    assert not list(root.iter(f"{SVG}script"))
    picture = Image.open(opened.download(name, "PNG picture")).convert("RGB")
    width = float(root.get("width", "0").removesuffix("px"))
    # Two pixels a unit of the SVG, and wide enough for a slide.
    assert picture.width == pytest.approx(max(2 * width, 1600), abs=2)
    assert len(picture.resize((200, 200)).getcolors(40_000) or []) > 20


def test_the_png_of_the_heatmap_shows_the_weights_where_the_svg_places_them(opened: App, trace):
    root = ET.parse(opened.download("heatmap", "SVG picture")).getroot()
    picture = np.asarray(Image.open(opened.download("heatmap", "PNG picture")).convert("RGB"))
    left, top, width, height = _place_of_matrix(root)
    count = len(trace.tokens)
    centres = (np.arange(count) + 0.5) / count
    ratio = picture.shape[1] / float(root.get("width", "0").removesuffix("px"))
    rows, cols = (ratio * (top + centres * height)).astype(int), (ratio * (left + centres * width)).astype(int)
    weights = trace.attention(2, [4])[0].numpy()
    drawn = _shares_of(picture[np.ix_(rows, cols)])
    np.testing.assert_allclose(drawn, weights / weights.max(), atol=0.012)


@pytest.mark.parametrize("name", FIGURE_VIEWS)
def test_the_page_of_a_figure_works_from_a_file_without_a_network(opened: App, browser, tmp_path: Path, name: str):
    opened.view(FIGURE_VIEWS[name])
    caption = opened.caption(name)
    saved = tmp_path / "figure.html"
    saved.write_bytes(opened.download(name, "Interactive page").read_bytes())
    context = browser.new_context(offline=True)
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if request.url.startswith("http") else None)
    page.goto(saved.as_uri())
    drawn = ".main-svg" if name == "headmap" else f".headlight.{name}[data-drawn]"
    page.locator(drawn).first.wait_for()
    assert caption in page.inner_text("body")
    assert problems == []
    context.close()


def test_the_saved_page_of_the_heatmap_shows_the_exact_weight(opened: App, browser, trace, tmp_path: Path):
    saved = tmp_path / "heatmap.html"
    saved.write_bytes(opened.download("heatmap", "Interactive page").read_bytes())
    with opened_app(browser, saved.as_uri()) as page:
        page.page.goto(saved.as_uri())
        heatmap = page.page.locator(".headlight.heatmap[data-drawn]")
        heatmap.wait_for()
        count = len(trace.tokens)
        lines = page.hover_cell(3, 1, count, count, heatmap)
    assert float(lines[1]) == pytest.approx(float(trace.attention(2, [4])[0, 3, 1]), rel=1e-3)


def said_in(root: ET.Element) -> str:
    """All text of an SVG, as one line."""
    return " ".join("".join(filter(None, (element.text for element in root.iter(f"{SVG}text")))).split())


def test_the_picture_of_a_zoomed_heatmap_shows_what_is_on_the_screen(app: App, minilm):
    app.open(view="heatmap", layer=2, head=4, example="longer-text")
    text = app.page.get_by_role("textbox", name="Text", exact=True).input_value()
    trace = minilm.run(text)
    whole = ET.parse(app.download("heatmap", "SVG picture")).getroot()
    assert _matrix_in(whole).shape[:2] == (len(trace.tokens), len(trace.tokens))
    assert "part:" not in said_in(whole)
    for _ in range(3):
        app.figure("heatmap").get_by_role("button", name="Zoom in").click()
        app.page.wait_for_timeout(60)
    view = seen(app)
    rows, cols = (slice(view[f"first-{side}"], view[f"last-{side}"] + 1) for side in ("row", "col"))
    part = ET.parse(app.download("heatmap", "SVG picture")).getroot()
    weights = trace.attention(2, [4])[0].numpy()
    np.testing.assert_allclose(_shares_of(_matrix_in(part)), weights[rows, cols] / weights.max(), atol=0.012)
    where = f"part: queries {rows.start}–{rows.stop - 1}, keys {cols.start}–{cols.stop - 1}"
    assert where.replace(" ", "") in said_in(part).replace(" ", "")


def test_the_caption_of_an_exported_head_view_names_heads_and_lines(app: App):
    app.open(view="headview", layer=3, head=1)
    view = app.figure("headview")
    view.get_by_role("button", name="Head 5", exact=True).click()
    view.get_by_role("button", name="Query 10 it", exact=True).click()
    view.get_by_role("button", name="Query 10 it", exact=True).click()
    app.page.wait_for_timeout(400)
    app.idle()
    root = ET.parse(app.download("headview", "SVG picture")).getroot()
    rule = "heads 1, 5 · the 6 largest weights of each query and head above 0.02"
    assert rule.replace(" ", "") in said_in(root).replace(" ", "")


def test_a_head_view_of_a_long_text_is_dense_but_legible_and_cuts_no_word(app: App):
    app.open(view="headview", example="longer-text", layer=1, head=2)
    root = ET.parse(app.download("headview", "SVG picture")).getroot()
    width, height = (float(root.get(side, "0").removesuffix("px")) for side in ("width", "height"))
    assert height < 2.5 * width
    labels = app.figure("headview").locator(".token.query").all_inner_texts()
    texts = list(root.iter(f"{SVG}text"))
    assert all(sum(text.text == label for text in texts) >= 2 for label in labels)
    sizes = [float(text.get("font-size", "0")) for text in texts if text.text in labels]
    assert min(sizes) >= 9


def test_a_text_with_nothing_picked_has_no_legend(app: App):
    app.open(view="text", layer=3, head=1, query=10)
    held = said_in(ET.parse(app.download("text", "SVG picture")).getroot())
    assert "square-root scale" in held
    app.figure("text").locator(".part").nth(10).click()
    expect(app.figure("text").locator(".part.held")).to_have_count(0)
    app.idle()
    root = ET.parse(app.download("text", "SVG picture")).getroot()
    assert "notokenpicked:nocolours" in said_in(root).replace(" ", "")
    assert not any((element.text or "").startswith("square-root scale") for element in root.iter(f"{SVG}text"))


def test_a_filtered_export_says_so(opened: App, trace):
    opened.open(layer=2, head=4, example="pronoun", special="renormalise")
    with np.load(opened.download("heatmap", "NumPy archive")) as archive:
        assert "special tokens left out, rows renormalised" in str(archive["caption"])
        np.testing.assert_allclose(archive["weights"].sum(-1), 1, atol=1e-5)
        assert "[CLS]" not in archive["keys"]
    root = ET.parse(opened.download("heatmap", "SVG picture")).getroot()
    said = "".join(filter(None, (element.text for element in root.iter(f"{SVG}text"))))
    assert "leftout" in said.replace(" ", "")


def _matrix_in(root: ET.Element) -> np.ndarray:
    """The largest picture inside an SVG as (rows, columns, 3)."""
    pictures = (Image.open(io.BytesIO(_data_of(image))) for image in root.iter(f"{SVG}image"))
    arrays = [np.asarray(picture.convert("RGB")) for picture in pictures]
    return max(arrays, key=lambda array: array.size)


def _data_of(image: ET.Element) -> bytes:
    link = image.get("href") or image.get("{http://www.w3.org/1999/xlink}href") or ""
    return base64.b64decode(unquote(link.split(",", 1)[1]))


def _place_of_matrix(root: ET.Element) -> tuple[float, float, float, float]:
    """Left, top, width and height of the matrix on the paper, with the moves of the groups around it."""

    def search(element: ET.Element, x: float, y: float) -> tuple[float, float, float, float] | None:
        moved = re.findall(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", element.get("transform", ""))
        matrices = re.findall(r"matrix\(1[ ,]0[ ,]0[ ,]1[ ,]([-\d.]+)[ ,]([-\d.]+)\)", element.get("transform", ""))
        for dx, dy in moved + matrices:
            x, y = x + float(dx), y + float(dy)
        if element.tag == f"{SVG}image":
            sizes = [float(element.get(side, "0")) for side in ("x", "y", "width", "height")]
            return x + sizes[0], y + sizes[1], sizes[2], sizes[3]
        return next(filter(None, (search(child, x, y) for child in element)), None)

    found = search(root, 0, 0)
    assert found is not None
    return found


def _shares_of(colours: np.ndarray) -> np.ndarray:
    """Weights as shares of the largest, out of square-root-scale colours: (rows, columns, 3) -> (rows, columns)."""
    ramp = np.array([light_ramp(level / 254) for level in range(255)])
    distances = np.abs(colours[:, :, None, :].astype(float) - ramp).sum(-1)
    assert distances.min(-1).max() < 8, "there are colours that the ramp does not have"
    return (distances.argmin(-1) / 254) ** 2
