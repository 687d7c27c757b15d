"""The views of models unlike the first one: decoders, grouped queries, scores with a bias, two texts, many heads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from tests.benchmarks.site import save_model as save_long_model
from tests.benchmarks.site import text_of
from tests.e2e.browser import App, running_server
from tests.e2e.reading import RAMP, choose, seen, swept
from tests.e2e.test_query_key import agrees, keys_told
from tests.tiny import save_model

TEXT = "the cat sat on the mat"
UNICORN = "the cat 🦄 naïve"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, byte_level) -> Path:
    root = tmp_path_factory.mktemp("models")
    save_model(root / "decoder", "gpt2", AutoModelForCausalLM, byte_level)
    save_model(root / "grouped", "llama", AutoModelForCausalLM, byte_level)
    save_model(root / "biased", "bloom", AutoModelForCausalLM, byte_level, hidden_size=32, n_layer=3, n_head=4)
    save_model(root / "translator", "t5", AutoModelForSeq2SeqLM, byte_level)
    save_model(root / "many-heads", "bert", AutoModel, byte_level, hidden_size=64, num_attention_heads=32)
    sizes = dict(hidden_size=36, num_attention_heads=9, num_hidden_layers=30)
    save_model(root / "deep", "bert", AutoModel, byte_level, **sizes)
    save_long_model(root / "long")
    return root


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folders: Path) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_server(log, HEADLIGHT_MODELS=str(folders)) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


def test_a_decoder_names_its_masked_cells_and_what_comes_next(app: App, folders: Path):
    trace = load(str(folders / "decoder")).run(TEXT)
    labels, weights, count = trace.tokens.labels, trace.attention(1, [2])[0], len(trace.tokens)
    app.open(model="decoder", layer=1, head=2, view="heatmap", text=TEXT)
    cells = [(row, col) for row in range(count) for col in range(count)]
    predicted = trace.predicted()
    assert predicted is not None
    for lines, (row, col) in zip(swept(app, cells), cells, strict=True):
        assert lines is not None
        assert lines[0] == f"{labels[row]} → {labels[col]}"
        assert f"query predicts {predicted[row]}" in lines
        if col > row:
            assert lines[1] == "masked: the model could not attend here"
        else:
            assert float(lines[1]) == pytest.approx(float(weights[row, col]), rel=6e-4, abs=1e-7)
    expect(app.figure("heatmap").locator(".legend")).to_contain_text("masked")
    likeliest = trace.output.likeliest
    shares = app.page.locator(".headlight-shares tr")
    assert shares.count() == len(likeliest)
    for i, (name, share) in enumerate(likeliest[:3]):
        # Names of control characters are pictures, as in the labels.
        assert shares.nth(i).locator("th").text_content() == name
        assert float(shares.nth(i).locator("td.number").inner_text()) == pytest.approx(share, abs=6e-4)
    app.page.get_by_role("spinbutton", name="Let the model write (tokens)").fill("4")
    app.page.keyboard.press("Enter")
    written = load(str(folders / "decoder")).run(TEXT, generate=4)
    expect(app.card("heatmap").locator(".caption")).to_contain_text(f"{len(written.tokens)} tokens")
    assert app.page.locator(".headlight-written").text_content() == written.output.written
    app.idle()
    heatmap = app.figure("heatmap")
    assert heatmap.get_attribute("data-last-row") == str(len(written.tokens) - 1)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("grouped", "weight = softmax( q·k × 0.3536 )"),
        ("biased", "weight = softmax( q·k × 0.3536 + bias )"),
        ("decoder", "weight = softmax( q·k × 0.3536 )"),
    ],
)
def test_queries_and_keys_of_every_kind_of_attention(app: App, folders: Path, name: str, formula: str):
    trace = load(str(folders / name)).run(TEXT)
    query = len(trace.tokens) - 2
    app.open(model=name, layer=1, head=3, view="querykey", text=TEXT, query=query)
    view = app.figure("querykey")
    expect(view).to_have_attribute("data-query", str(query))
    assert view.locator(".formula").inner_text() == formula
    detail = trace.query_key(1, 3, query)
    agrees(keys_told(view, int((~detail.masked).sum())), detail, trace.tokens.labels)
    if int(detail.masked.sum()):
        app.page.keyboard.press("End")
        assert "masked" in (view.locator(".live").text_content() or "")
    if name == "grouped":
        expect(app.page.get_by_text("shares its keys and values with head 2")).to_be_visible()


def test_a_sign_of_several_tokens_is_one_part_of_the_text(app: App, folders: Path):
    trace = load(str(folders / "decoder")).run(UNICORN)
    labels = trace.tokens.labels
    pieces = [i for i, label in enumerate(labels) if "🦄" in label]
    assert len(pieces) > 1
    app.open(model="decoder", layer=0, head=1, view="text", text=UNICORN)
    view = app.figure("text")
    assert view.locator("p").all_text_contents() == [UNICORN]
    sign = view.get_by_role("button", name=re.compile(f"^Token {pieces[0]} "))
    assert "🦄" in sign.inner_text()
    sign.hover()
    expect(view.locator(".tooltip.shown")).to_contain_text("stands for")
    last = view.locator(".part").last
    last.click()
    sign.hover()
    value = view.locator(".tooltip.shown .tooltip-value").inner_text()
    weights = trace.attention(0, [1])[0]
    spans = [trace.tokens.spans[i] for i in pieces]
    start, end = spans[0][0], spans[-1][1]
    shared = [i for i, span in enumerate(trace.tokens.spans) if span and span[0] < end and span[1] > start]
    assert float(value) == pytest.approx(float(weights[-1, shared].sum()), rel=6e-4)


def test_cross_attention_shows_two_texts_each_with_its_colours(app: App, folders: Path):
    source, target = "the cat sat on the mat", "a dog saw"
    trace = load(str(folders / "translator")).run(source, target=target)
    weights = trace.attention(1, [2], "cross")[0].numpy()
    app.open(model="translator", stream="cross", layer=1, head=2, view="text", text=source, target=target)
    view = app.figure("text")
    expect(view.locator("section.block")).to_have_count(2)
    queries, keys = view.locator("section.block").nth(0), view.locator("section.block").nth(1)
    assert keys.locator(".part").all_text_contents() == parts_of(trace.keys("cross"))
    query = queries.locator(".part").nth(2)
    query.click()
    app.page.wait_for_url(re.compile(r"query=\d"))
    place = int(re.search(r"query=(\d+)", app.page.url)[1])  # type: ignore[index]
    coloured = background_places(keys)
    np.testing.assert_allclose(coloured, blanked(np.sqrt(weights[place] / weights[place].max())), atol=0.012)
    assert background_places(queries).max() == 0
    keys.locator(".part").nth(3).click()
    app.page.wait_for_url(re.compile(r"key=3\b"))
    column = weights[:, 3]
    np.testing.assert_allclose(background_places(queries), blanked(np.sqrt(column / column.max())), atol=0.012)
    assert background_places(keys).max() == 0
    app.view("Head view")
    read, followed = trace.queries("cross").labels, trace.followed("cross")
    names = [label if after is None else f"{label} → {after}" for label, after in zip(read, followed, strict=True)]
    assert app.queries() == names
    app.view("Heatmap")
    lines = swept(app, [(1, 3)])[0]
    assert lines is not None
    assert lines[0] == f"{read[1]} → {trace.keys('cross').labels[3]}"
    choose(app, "Attention", "decoder self-attention")
    app.page.wait_for_url("**stream=decoder**")
    expect(app.card("heatmap").locator(".caption")).to_contain_text("decoder self-attention, layer 1, head 2")
    app.idle()
    own = trace.attention(1, [2], "decoder")[0]
    lines = swept(app, [(2, 1)])[0]
    assert lines is not None
    assert float(lines[1]) == pytest.approx(float(own[2, 1]), rel=6e-4)
    assert len(seen(app)) == 4


def test_32_heads_have_32_colours(app: App):
    app.open(model="many-heads", layer=0, head=31, view="headview", text=TEXT)
    view = app.figure("headview")
    expect(view.locator(".chip")).to_have_count(32)
    view.get_by_role("button", name="Show all heads").click()
    expect(view.locator(".chip[aria-pressed=true]")).to_have_count(32)
    shown = view.evaluate(
        "(root) => [...root.querySelectorAll('.chip')].map((chip) => getComputedStyle(chip).backgroundColor)"
    )
    colours = np.array([[int(number) for number in re.findall(r"\d+", colour)] for colour in shown])
    distances = np.abs(colours[:, None] - colours[None]).sum(-1) + 1000 * np.eye(32, dtype=int)
    assert distances.min() >= 15
    neighbours = np.abs(np.diff(colours, axis=0)).sum(-1)
    assert neighbours.min() >= 60


def test_a_map_of_1024_tokens_is_read_to_a_thousandth_and_a_clicked_cell_to_float32(app: App, folders: Path):
    text = text_of(1024)
    trace = load(str(folders / "long")).run(text)
    weights = trace.attention(1, [3])[0]
    app.page.set_default_timeout(60_000)
    app.open(model="long", layer=1, head=3, view="heatmap").analyse(text)
    expect(app.card("heatmap").locator(".caption")).to_contain_text("1,024 tokens")
    expect(app.figure("heatmap")).to_have_attribute("data-last-row", "1023")
    app.idle().figure("heatmap").locator("canvas.cursor").focus()
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("Control+End")
    for _ in range(6):
        app.page.keyboard.press("+")
    app.page.wait_for_timeout(200)
    view = seen(app)
    assert view["last-row"] == 1023
    rows = range(view["first-row"], 1024, 7)
    cells = [(row, col) for row in rows for col in range(view["first-col"], view["last-col"] + 1)]
    assert len(cells) > 500
    for lines, (row, col) in zip(swept(app, cells), cells, strict=True):
        assert lines is not None
        assert lines[2] == f"query {row}, key {col}"
        assert float(lines[1]) == pytest.approx(float(weights[row, col]), rel=1e-3, abs=1e-6)
    app.page.keyboard.press("Control+End")
    app.page.keyboard.press("ArrowLeft")
    app.page.keyboard.press("Enter")
    expect(app.card("heatmap").locator(".picked")).to_contain_text("Query 1023")
    written = re.search(r"weight (\S+)\.$", app.card("heatmap").locator(".picked").inner_text())
    assert written is not None
    assert float(written[1]) == pytest.approx(float(weights[1023, 1022]), rel=2e-7)


def background_places(block) -> np.ndarray:
    """The place on the light ramp of each part of a block, 0 where it has no colour."""
    colours = block.locator(".part").evaluate_all(
        "(parts) => parts.map((part) => getComputedStyle(part).backgroundColor.match(/[\\d.]+/g).map(Number))"
    )
    return np.array(
        [0 if len(rgb) == 4 and rgb[3] == 0 else np.abs(RAMP - rgb[:3]).sum(-1).argmin() / 254 for rgb in colours]
    )


def blanked(places: np.ndarray) -> np.ndarray:
    """The same without what is too faint to be coloured."""
    return np.where(places < 5 / 254, 0, places)


def parts_of(tokens) -> list[str]:
    """The characters of each token, in a text where no two share one."""
    named = zip(tokens.labels, tokens.spans, strict=True)
    return [tokens.text[span[0] : span[1]] if span else label for label, span in named]


def test_many_layers_of_few_heads_are_folded_into_blocks_that_the_keys_cross(app: App):
    app.open(model="deep", layer=17, head=3, view="overview", text=TEXT)
    boxes = {layer: app.tile(layer, 0).bounding_box() for layer in (0, 14, 15, 29)}
    assert all(boxes.values())
    first, last_of_first, first_of_second, last = ((box["x"], box["y"]) for box in boxes.values() if box)
    assert first[0] == last_of_first[0] < first_of_second[0] == last[0]
    assert first[1] == pytest.approx(first_of_second[1], abs=0.1)
    app.tile(14, 8).focus()
    for key, (layer, head) in {
        "ArrowDown": (15, 8), "ArrowUp": (14, 8), "ArrowRight": (29, 0), "ArrowLeft": (14, 8), "Home": (14, 0),
    }.items():  # fmt: skip
        app.page.keyboard.press(key)
        expect(app.tile(layer, head)).to_be_focused()
    app.page.keyboard.press("Enter")
    expect(app.page.get_by_role("heading", name="Layer 14 · Head 0")).to_be_visible()


def test_a_long_text_is_read_in_both_directions(app: App):
    app.page.set_default_timeout(60_000)
    app.open(model="long", layer=1, head=3).analyse(text_of(1100)).view("Text")
    view = app.figure("text")
    view.locator(".part").nth(5).click()
    expect(view.locator(".note")).to_contain_text("attends to; strongest:")
    view.get_by_role("radio", name="is attended by").click()
    app.page.wait_for_url(re.compile(r"(?=.*key=\d)(?=.*direction=from)"))
    expect(view.locator(".note")).to_contain_text(re.compile("What attends to .*; strongest:"))
