"""The Positions page in a browser: formulas under keys, numbers of models, words in other orders, links, talk mode."""

from __future__ import annotations

import base64
import json
import math
import re
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.models.model import Model
from core.text import shortened
from core.text.reordering import movable_labels
from core.training.evaluation.extrapolation import ENTROPY, LOSS, SHARE
from core.views.export import unguarded
from tests.e2e.browser import ROOT, App, opened_app, running_server
from tests.e2e.reading import choose
from tests.e2e.test_accessibility import violations
from tests.e2e.test_hostile_texts import LAYOUT, TEXTS
from tests.tiny import save_model

LONG = 60_000
CHASES, CHASED = ("the cat chases the mouse", "the mouse chases the cat")
OWN = "<b>old</b> 猫 met $x$ مرحبا 👩‍👩‍👧‍👦 :smile:"
HOSTILE = " ".join(TEXTS.values())
SHORT = "<b> & $x$ مرحبا 👩‍👩‍👧‍👦"
TWINS = ("none", "sinusoidal", "learned", "relative", "rotary", "alibi")
READ = "(plot) => (plot.data ?? []).map(({ name, x, y, z }) => ({ name, x, y, z }))"

Expected = np.ndarray | Callable[[dict[str, Any]], np.ndarray]


@pytest.fixture(scope="module")
def networks(tmp_path_factory, byte_level) -> dict[str, Any]:
    """A folder of small random models, and their networks by name."""
    root = tmp_path_factory.mktemp("models")
    bloom = save_model(root / "bloom", "bloom", AutoModelForCausalLM, byte_level, hidden_size=32, n_layer=3, n_head=4)
    return {"root": root, "bloom": bloom, "t5": save_model(root / "t5", "t5", AutoModelForSeq2SeqLM, byte_level)}


@pytest.fixture(scope="module")
def address(networks: dict[str, Any]) -> Iterator[str]:
    log = networks["root"] / "log.txt"
    with running_server(log, HEADLIGHT_MODELS=str(networks["root"])) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture
def positions(browser, address: str) -> Iterator[App]:
    """A tab for the Positions page."""
    with opened_app(browser, address) as app:
        yield app
    assert problems(app) == []


def problems(app: App) -> list[str]:
    """Those of the app. Streamlit asks for its own files below the page's address first, and then finds them above."""
    return [problem for problem in app.problems if "404" not in problem]


def arrive(app: App, card: str, **asked: object) -> App:
    """Go to the page by an address, and wait for the figure of that name."""
    app.page.goto(f"{app.address}/positions?{urllib.parse.urlencode(asked)}")
    return ready(app, card)


def ready(app: App, card: str) -> App:
    """Wait until the figure of that name is drawn and the script is done."""
    plot(app, card).locator(".main-svg").first.wait_for(timeout=LONG)
    return app.idle()


def plot(app: App, card: str) -> Locator:
    return app.card(card).locator(".js-plotly-plot")


def parameters(app: App) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(app.page.url).query))


def wait_for_address(app: App, **asked: object) -> App:
    for name, value in asked.items():
        expect(app.page).to_have_url(re.compile(rf"[?&]{name}={re.escape(str(value))}(&|$)"), timeout=LONG)
    return app.idle()


def slide(app: App, label: str, *keys: str) -> None:
    """Press keys on a slider."""
    app.page.get_by_role("group", name=label, exact=True).get_by_role("slider").focus()
    for key in keys:
        app.page.keyboard.press(key)


def open_model(app: App, name: str) -> None:
    """Find a model in the menu by typing its name."""
    menu = app.page.get_by_role("combobox", name="Model", exact=True)
    menu.click()
    menu.fill(name)
    app.page.get_by_role("option", name=name, exact=True).click()


def open_view(app: App, name: str) -> None:
    app.page.get_by_role("radio", name=name, exact=True).click()


def numbers(value: Any) -> np.ndarray:
    """Plotly's typed arrays are sent as base64; others are lists, null where there is no number."""
    if not isinstance(value, dict):
        return np.array([np.nan if each is None else each for each in value or []])
    flat = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]))
    return flat.reshape([int(side) for side in str(value.get("shape", len(flat))).split(",")])


def drawn(app: App, card: str) -> list[dict[str, Any]]:
    """The place, the name and the numbers of each trace of a figure."""
    # The last one: while a run draws the figure anew, the former may still stand before it.
    found = enumerate(plot(app, card).last.evaluate(READ))
    return [
        {"place": place, "name": each.get("name"), **{axis: numbers(each.get(axis)) for axis in "xyz"}}
        for place, each in found
    ]


def shows(app: App, card: str, expected: Expected, axis: str = "z", trace: int | str = 0, atol: float = 2e-5) -> None:
    """Wait until a trace, by its place or its name, has numbers. expected: they, or what they are at its x, y."""
    found, wanted = np.zeros(0), np.ones(1)
    for _ in range(100):
        for each in drawn(app, card)[::-1]:
            if trace in (each["place"], each["name"]):
                found, wanted = each[axis], expected(each) if callable(expected) else expected
        if found.shape == wanted.shape and np.allclose(found, wanted, 1e-5, atol, equal_nan=True):
            return
        app.page.wait_for_timeout(100)
    np.testing.assert_allclose(found, wanted, 1e-5, atol, err_msg=f"{card} {trace}")


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=["nan"])


def sinusoids(length: int, width: int, base: float) -> np.ndarray:
    angles = np.arange(length)[:, None] * base ** (-2 * np.arange(width // 2) / width)  # (T, 1) * (P,) -> (T, P)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(length, width)


def sinusoidal_cosines(length: int, width: int = 64, base: float = 1e4) -> np.ndarray:
    rows = sinusoids(length, width, base)
    return rows @ rows.T / (width // 2)


def yarn(width: int, base: float, trained: int, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies before and after, as Peng and others 2023 have them, ends of the ramp rounded outwards."""
    pair = np.arange(width // 2)
    plain = base ** (-2 * pair / width)
    low, high = (
        end(width * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base)))
        for end, turns in ((math.floor, 32), (math.ceil, 1))
    )
    share = np.clip((pair - max(low, 0)) / (min(high, width - 1) - max(low, 0)), 0, 1)
    return plain, plain * (1 - share) + plain / factor * share


def t5_biases(row: np.ndarray, both_sides: bool) -> Callable[[dict[str, Any]], np.ndarray]:
    """What T5 adds for offsets: of the 32 numbers of a head, those of their buckets, which end at a distance of 128."""
    half = 8 if both_sides else 16

    def biases(line: dict[str, Any]) -> np.ndarray:
        distance = np.abs(line["x"].astype(float))
        far = half + (np.log(np.maximum(distance, half) / half) / math.log(128 / half) * half).astype(int)
        bucket = np.where(distance < half, distance, np.minimum(far, 2 * half - 1))
        return row[(bucket + 2 * half * (line["x"] > 0)).astype(int)]

    return biases


def test_sliders_show_what_the_sinusoidal_formula_says(positions: App):
    arrive(positions, "sinusoidal_decay")
    shows(positions, "sinusoidal_matrix", sinusoids(128, 64, 1e4))
    assert violations(positions) == []
    slide(positions, "Positions", "Home", "ArrowRight")
    wait_for_address(positions, length=16)
    slide(positions, "Width", "ArrowRight")
    wait_for_address(positions, width=66)
    slide(positions, "Base", "ArrowLeft")
    wait_for_address(positions, base=1000)
    rows = sinusoids(16, 66, 1e3)
    shows(positions, "sinusoidal_matrix", rows)
    cosines = sinusoidal_cosines(16, 66, 1e3)
    shows(positions, "sinusoidal_cosine", cosines)
    shows(positions, "sinusoidal_decay", np.r_[cosines[0, :0:-1], cosines[0]], "y")
    shows(positions, "sinusoidal_wavelengths", 2 * np.pi * 1e3 ** (np.arange(33) / 33), "y")
    cells = table(positions.download("sinusoidal_matrix", "CSV table"))
    np.testing.assert_allclose(cells["value"], rows[cells["position"], cells["dimension"]], atol=2e-6)
    assert len(cells) == rows.size
    positions.page.get_by_role("radio", name="Dot products").click()
    ready(positions, "sinusoidal_dot")
    shows(positions, "sinusoidal_dot", rows @ rows.T, atol=1e-4)


def test_sliders_show_what_yarn_and_alibi_say(positions: App):
    arrive(positions, "rotary_wavelengths", scheme="rotary", length=64, heads=11)
    choose(positions, "Scaling", "YaRN")
    wait_for_address(positions, scaling="yarn")
    slide(positions, "Factor", "ArrowRight")
    wait_for_address(positions, factor=8)
    plain, scaled = yarn(64, 1e4, 2048, 8)
    shows(positions, "rotary_wavelengths", 2 * np.pi / plain, "y", "before scaling", atol=1e-3)
    shows(positions, "rotary_wavelengths", 2 * np.pi / scaled, "y", "after scaling", atol=1e-3)
    turned = np.arange(64)[:, None] * scaled
    shows(positions, "rotary_matrix", np.angle(np.exp(1j * turned)))
    offsets = np.arange(-63, 64)[:, None]
    shows(positions, "rotary_decay", np.cos(offsets * scaled).mean(1), "y")
    choose(positions, "Scaling", "NTK-aware")
    slide(positions, "Width", "Home")
    expect(positions.page.get_by_text("choose 4 or more")).to_be_visible(timeout=LONG)
    choose(positions, "Scheme", "ALiBi")
    ready(positions, "alibi_bias")
    slide(positions, "Heads", "ArrowRight")
    wait_for_address(positions, scheme="alibi", heads=12)
    slopes = [*(2.0**-h for h in range(1, 9)), *(2.0**-h for h in (0.5, 1.5, 2.5, 3.5))]
    for head, slope in enumerate(slopes):
        shows(positions, "alibi_bias", slope * np.arange(-63.0, 1), "y", f"head {head}")
    positions.page.get_by_role("radio", name="No", exact=True).click()
    wait_for_address(positions, causal=0)
    distance = offsets[:, 0]
    for head, slope in enumerate(slopes):
        shows(positions, "alibi_bias", -slope * np.where(distance > 0, distance / 2, -distance), "y", f"head {head}")


def test_what_models_have_is_what_stands_in_their_weights(positions: App, minilm: Model, networks: dict[str, Any]):
    positions.page.goto(f"{positions.address}/positions?scheme=learned")
    positions.page.get_by_role("button", name="all-MiniLM-L6-v2").click()
    ready(positions, "model_learned_path")
    rows = minilm.network.get_parameter("embeddings.position_embeddings.weight").detach().numpy()
    shows(positions, "model_learned_matrix", lambda cells: rows[np.ix_(cells["y"], cells["x"])], atol=1e-7)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    shows(positions, "model_learned_cosine", lambda cells: unit[cells["y"]] @ unit[cells["x"]].T)
    open_model(positions, "bloom")
    ready(positions, "model_alibi_bias")
    for head in range(4):
        slope = 0.25 ** (head + 1)
        shows(positions, "model_alibi_bias", lambda line, slope=slope: slope * line["x"], "y", f"head {head}")
    open_model(positions, "t5")
    ready(positions, "model_relative_bias")
    for fact, stack in enumerate(("encoder", "decoder")):
        if fact:
            choose(positions, "Of the model", stack)
        owner = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        expect(positions.page.locator(".of-fact")).to_contain_text(owner)
        weight = networks["t5"].get_parameter(owner).detach().numpy().T  # (32, H) -> (H, 32)
        for head, row in enumerate(weight):
            biases = t5_biases(row, both_sides=stack == "encoder")
            shows(positions, "model_relative_bias", biases, "y", f"head {head}", atol=1e-7)
    open_model(positions, "en-fr-gru-bahdanau")
    expect(positions.page.get_by_text("order is in its recurrence")).to_be_visible(timeout=LONG)
    open_view(positions, "In the model")
    expect(positions.page.get_by_text("no layer of attention within one text")).to_be_visible(timeout=LONG)
    open_view(positions, "Does order matter?")
    ready(positions, "order")
    assert [len(row) for row in answers(positions)] == [2] * 4


def test_two_schemes_and_the_twins_have_the_numbers_of_their_formulas_and_files(positions: App):
    arrive(positions, "sinusoidal_decay", view="pair", length=48, heads=4, causal=1)
    slide(positions, "Head", "ArrowRight")
    rows = sinusoidal_cosines(48)
    distance = np.arange(48)[:, None] - np.arange(48)
    shows(positions, "sinusoidal_pair", rows)
    bias = np.where(distance < 0, np.nan, np.exp(-distance / 16.0))
    shows(positions, "sinusoidal_pair", bias, trace=1)
    shows(positions, "sinusoidal_decay", bias[-1], "y", "ALiBi")
    choose(positions, "Beside", "The open model")
    expect(positions.card("sinusoidal_pair").locator(".caption")).to_contain_text("all-MiniLM-L6-v2", timeout=LONG)
    ready(positions, "sinusoidal_pair")
    open_view(positions, "Beyond training")
    ready(positions, "extrapolation")
    cells = table(positions.download("extrapolation", "CSV table"))
    assert set(cells["model"]) == {f"lm-{name}" for name in TWINS}
    for name in TWINS:
        told = json.loads((ROOT / f"core/zoo/weights/lm-{name}/training.json").read_text("utf-8"))["tables"]
        rows = cells[cells["model"] == f"lm-{name}"]
        loss = list(told[LOSS].values())
        for heading, column in ((LOSS, "loss"), (ENTROPY, "entropy"), (SHARE, "entropy_share")):
            np.testing.assert_allclose(rows[column], list(told[heading].values()), 1e-6)
        shows(positions, "extrapolation", np.array(loss), "y", rows["positions"].iloc[0])
    positions.page.get_by_text("Entropy as a share").click()
    wait_for_address(positions, share=1)


def test_attention_by_distance_is_the_mean_along_each_diagonal(positions: App, minilm: Model):
    arrive(positions, "model_attention", view="model", example="pronoun")
    slide(positions, "Layer", "ArrowRight", "ArrowRight")
    wait_for_address(positions, layer=2)
    choose(positions, "Head", "Head 7")
    wait_for_address(positions, head=7)
    trace = minilm.run("The animal didn't cross the street because it was too tired.")
    own = np.flatnonzero(~np.array(trace.tokens.special))
    maps = trace.attention(2).numpy()[:, own][:, :, own]  # (H, T, T)
    offsets = np.arange(1 - len(own), len(own))
    means = np.stack([np.diagonal(maps, offset, 1, 2).mean(-1) for offset in offsets], 1)  # (H, N)
    for head in (0, 7, 11):
        shows(positions, "model_attention", means[head], "y", f"head {head}", atol=1e-6)
    shows(positions, "model_attention", np.full(len(offsets), 1 / len(trace.tokens)), "y", "uniform")
    cells = table(positions.download("model_attention", "CSV table"))
    assert set(cells["layer"]) == {2}
    np.testing.assert_allclose(cells.pivot(index="head", columns="offset", values="weight"), means, 1e-4, 1e-7)
    assert list(cells["offset"][cells["head"] == 3]) == list(offsets)


def order_of(app: App) -> list[int]:
    """The order in which the chips stand."""
    return json.loads(f"[{app.page.locator('.order').get_attribute('data-order')}]")


def moved_to(app: App, *order: int) -> App:
    """Wait until the chips stand so and the answer to it is there."""
    expect(app.page.locator(".order")).to_have_attribute("data-order", ",".join(map(str, order)))
    return wait_for_address(app, order="%2C".join(map(str, order)))


def drag(app: App, chip: Locator, other: Locator) -> None:
    """Drag a word behind another."""
    chip.hover()
    app.page.mouse.down()
    box = other.bounding_box()
    assert box is not None
    for share in (0.1, 0.9):
        app.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=4)
    app.page.mouse.up()


def answers(app: App) -> list[list[str]]:
    """The rows of the table of what came out."""
    rows = app.page.locator(".headlight-orders tbody tr")
    return [row.locator("th, td").all_text_contents() for row in rows.all()]


def maps_of(app: App) -> dict[tuple[bool, bool], tuple[np.ndarray, np.ndarray]]:
    """By (positions, moved): the weights, and those of the same pairs of words in the order as written."""
    cells = table(app.download("order", "CSV table"))
    found = {}
    for key, part in cells.groupby(["positions", "moved"]):
        own = part.pivot(index="query", columns="key", values="weight").to_numpy()
        found[key] = (own, part.pivot(index="query_as_written", columns="key_as_written", values="weight").to_numpy())
    return found


def test_words_are_moved_and_change_what_comes_out_unless_positions_are_gone(positions: App):
    arrive(positions, "order", view="order")
    first, second, outputs, identity = answers(positions)
    assert first[:2] == ["猫追老鼠", CHASES]
    assert second[:2] == ["老鼠追猫", CHASED]
    assert first[2] == second[2]
    assert float(outputs[1]) > 0.1 > 1e-4 > float(outputs[2])
    tolerance = float(re.findall(r"up to (\S+) is rounding", positions.caption("order"))[0])
    assert float(identity[1]) > 0.1 > tolerance >= float(identity[2])
    maps = maps_of(positions)
    np.testing.assert_allclose(maps[False, True][1], maps[False, False][0], atol=tolerance)
    assert np.abs(maps[True, True][1] - maps[True, False][0]).max() > 0.02
    assert violations(positions) == []
    chips, page = positions.page.locator(".order .chip"), positions.page
    assert chips.locator("bdi").all_text_contents() == [*"老鼠追猫"]
    page.get_by_role("button", name="Reset", exact=True).click()
    moved_to(positions, 0, 1, 2, 3)
    assert [row[1] for row in answers(positions)] == [CHASES, CHASES, "0", "0"]
    chips.first.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    moved_to(positions, 1, 2, 0, 3)
    for key in ("Enter", "ArrowLeft", "ArrowLeft", "Escape"):
        page.keyboard.press(key)
    assert order_of(positions) == [1, 2, 0, 3]
    for key in ("Enter", "End", "Enter"):
        page.keyboard.press(key)
    moved_to(positions, 1, 2, 3, 0)
    expect(page.locator(".headlight-orders tbody th").nth(1)).to_have_text("追老鼠猫")
    page.get_by_role("button", name="Reverse").click()
    moved_to(positions, 0, 3, 2, 1)
    chips.nth(0).click()
    chips.nth(2).click()
    moved_to(positions, 2, 3, 0, 1)
    drag(positions, chips.nth(0), chips.nth(3))
    moved_to(positions, 3, 0, 1, 2)
    expect(page.locator(".headlight-orders tbody th").nth(1)).to_have_text("鼠猫追老")
    page.get_by_role("button", name="Shuffle").click()
    expect(page.locator(".order")).not_to_have_attribute("data-order", "3,0,1,2")
    moved_to(positions, *order_of(positions))
    page.go_back()
    moved_to(positions, 3, 0, 1, 2)


def test_an_own_text_in_another_order_travels_by_a_copied_link_only(positions: App, networks: dict[str, Any]):
    positions.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    arrive(positions, "order", view="order", model="bloom").analyse(OWN)
    labels = list(movable_labels(load(str(networks["root"] / "bloom")).encode(OWN)))
    chips = positions.page.locator(".order .chip bdi")
    expect(chips).to_have_count(len(labels), timeout=LONG)
    positions.page.get_by_role("button", name="Reset", exact=True).click()
    moved_to(positions, *range(len(labels)))
    assert chips.all_text_contents() == labels
    positions.page.get_by_role("button", name="Reverse").click()
    reverse = list(range(len(labels)))[::-1]
    moved_to(positions, *reverse)
    address = urllib.parse.unquote_plus(positions.page.url)
    assert not any(part in address for part in ("text=", *OWN.split()))
    positions.export("order").get_by_role("button", name="Copy link").click()
    expect(positions.page.locator(".exporter .status").first).to_contain_text("copied")
    positions.page.goto(str(positions.page.evaluate("() => navigator.clipboard.readText()")))
    ready(positions, "order")
    expect(positions.page.get_by_role("textbox", name="Text", exact=True)).to_have_value(OWN)
    assert order_of(positions) == reverse
    assert chips.all_text_contents() == labels[::-1]
    assert "a token sees only those before it" in positions.caption("order")


def test_a_hostile_text_stands_letter_for_letter_in_chips_and_maps(positions: App, minilm: Model):
    arrive(positions, "order", view="order", model="all-MiniLM-L6-v2", text=SHORT)
    labels = [shortened(label, 9) for label in minilm.encode(SHORT).labels]
    for axis in "xy":
        ticks = plot(positions, "order").locator(f".{axis}tick text").all_text_contents()
        assert ticks[: len(labels)] == labels, axis
    positions.analyse(HOSTILE)
    words = movable_labels(minilm.encode(HOSTILE))
    chips = positions.page.locator(".order .chip bdi")
    expect(chips).to_have_count(len(words), timeout=LONG)
    ready(positions, "order")
    order = order_of(positions)
    assert chips.all_text_contents() == [words[place] for place in order]
    assert "".join(words).startswith(TEXTS["markup"].replace(" ", ""))
    cells = table(positions.download("order", "CSV table"))
    written = cells[cells["positions"] & ~cells["moved"] & (cells["query"] == 0)]
    assert [unguarded(label) for label in written["key_token"]] == list(minilm.encode(HOSTILE).labels)
    assert positions.page.evaluate(LAYOUT) == {"overlaps": 0, "wider": 0}
    main = positions.page.locator("[data-testid=stMain]")
    assert main.locator("img[src=x], b, .katex").count() == 0
    assert "😄" not in main.inner_text()


def test_what_an_address_asks_for_in_vain_falls_back_with_a_sentence(positions: App):
    asked = dict(scheme="<b>x</b>", width=3, length=0, base="1e300", heads=-1, factor="NaN", order="9,9", talk=7)
    arrive(positions, "sinusoidal_decay", **asked, view="nope", model="<img src=x>", head="99", layer="-5", fact="x")
    told = positions.notes()
    for sentence in (
        "There is no scheme <b>x</b> here: sinusoidal is used.",
        "Width is an even number from 2 to 256, not “3”: 64 is used.",
        "Positions is a multiple of 8 from 8 to 512, not “0”: 128 is used.",
        "Heads is a whole number from 1 to 32, not “-1”: 8 is used.",
    ):
        assert sentence in told
    for part in ("not “1e300”: 10,000 is used", "not “NaN”: 4", "There is no model <img src=x>", "The order 9,9"):
        assert any(part in sentence for sentence in told), part
    shows(positions, "sinusoidal_matrix", sinusoids(128, 64, 1e4))
    assert "base" not in parameters(positions)


def test_talk_mode_has_the_schemes_on_the_number_keys(positions: App):
    arrive(positions, "sinusoidal_decay", talk=1)
    for number, name in {8: "DeBERTa", 6: "ALiBi", 1: "None"}.items():
        positions.page.keyboard.press(str(number))
        button = positions.page.get_by_role("button", name=re.compile(rf"^{name}\b"))
        expect(button).to_have_attribute("data-testid", "stBaseButton-primary", timeout=LONG)
        assert positions.idle().page.locator(".headlight-note.error").count() == 0
    positions.page.keyboard.press("t")
    expect(positions.page.locator("[data-testid=stSidebar]")).to_have_attribute("data-collapsed", "false")


def test_the_dark_page_has_no_serious_finding(browser, address: str):
    with opened_app(browser, address, scheme="dark") as app:
        assert violations(arrive(app, "rotary_wavelengths", scheme="rotary")) == []
        app.page.get_by_role("radio", name="Does order matter?").click()
        assert violations(ready(app, "order")) == []
        assert problems(app) == []
