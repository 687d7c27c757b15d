"""Other models in the browser: a decoder on Chinese, encoder-decoders from a local folder, a download from a hub."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

from core import load
from core.models import catalogue
from core.models.model import Model
from tests.e2e.browser import App, opened_app, running_server
from tests.models.hub_server import REPO, serving
from tests.tiny import save_model

SMOLLM2 = "SmolLM2-135M-Instruct"
REASON_AGAINST_SMOLLM2 = next(listing.unavailable for listing in catalogue() if listing.entry.name == SMOLLM2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, byte_level) -> Path:
    """A root with an encoder-decoder, and with a model that lacks a tensor of its layers."""
    root = tmp_path_factory.mktemp("models")
    save_model(root / "translator", "bart", AutoModelForSeq2SeqLM, byte_level)
    network = save_model(root / "spoiled", "gpt2", AutoModelForCausalLM, byte_level)
    state = {name: tensor for name, tensor in network.state_dict().items() if "h.1.attn" not in name}
    network.save_pretrained(root / "spoiled", state_dict=state)
    return root


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folders: Path) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_server(log, HEADLIGHT_MODELS=str(folders)) as address:
        yield address
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture(scope="module")
def smollm2() -> Model:
    """Opened here first, because unpacking it on a fresh machine takes longer than a page is waited for."""
    return load(SMOLLM2)


@pytest.mark.skipif(REASON_AGAINST_SMOLLM2 is not None, reason=str(REASON_AGAINST_SMOLLM2))
def test_a_chinese_sentence_is_shown_right_on_a_byte_level_decoder(smollm2: Model, app: App):
    text = "我爱你，猫追老鼠。"
    app.open(model=SMOLLM2, layer=18, head=6).analyse(text)
    trace = smollm2.run(text)
    labels = list(trace.tokens.labels)
    assert app.queries() == labels
    assert labels[:2] == ["我[1/2]", "我[2/2]"]
    title, value = app.hover_cell(3, 1, len(labels), len(labels))[:2]
    assert title == f"{labels[3]} → {labels[1]}"
    assert float(value) == pytest.approx(float(trace.attention(18, [6])[0, 3, 1]), rel=2e-3, abs=1e-5)
    predicted = trace.predicted()
    assert predicted is not None
    assert f"query predicts {predicted[3]}" in app.hover_cell(3, 1, len(labels), len(labels))
    assert app.hover_cell(1, 3, len(labels), len(labels))[1] == "masked: the model could not attend here"
    expect(app.page.get_by_text("on the first token", exact=False)).to_be_visible()


@pytest.mark.skipif(REASON_AGAINST_SMOLLM2 is not None, reason=str(REASON_AGAINST_SMOLLM2))
def test_a_decoder_shows_what_comes_next_and_writes_on(smollm2: Model, app: App):
    app.open(model=SMOLLM2).analyse("The capital of France is")
    expect(app.page.locator(".headlight-shares tr").first).to_contain_text("Paris")
    app.page.get_by_role("spinbutton", name="Let the model write (tokens)").fill("3")
    app.page.keyboard.press("Enter")
    written = smollm2.run("The capital of France is", generate=3)
    expect(app.page.locator(".headlight-written")).to_have_text(written.output.written or "")
    assert app.queries() == list(written.tokens.labels)
    assert app.queries()[5] == "␣Paris"


def test_an_encoder_decoder_of_a_local_folder_shows_its_three_streams(app: App, folders: Path):
    app.open(model="translator")
    app.analyse("the cat sat")
    app.page.get_by_label("Or make it say").fill("a dog ran")
    app.page.keyboard.press("Control+Enter")
    app.page.wait_for_timeout(500)
    trace = load(str(folders / "translator")).run("the cat sat", target="a dog ran")
    view = app.drawn().figure("headview")
    read = trace.queries("cross").labels
    rows = [f"{now} → {after}" for now, after in pairwise(read)]
    assert view.locator(".token.query").all_inner_texts() == [*rows, read[-1]]
    assert view.locator(".token.key").all_inner_texts() == list(trace.keys("cross").labels)
    app.page.get_by_role("combobox", name="Attention").click()
    app.page.get_by_role("option", name="encoder self-attention").click()
    app.page.wait_for_url("**stream=encoder**")
    assert app.queries() == list(trace.tokens.labels)


def test_a_model_with_random_weights_draws_only_when_one_insists_and_says_so(app: App):
    app.page.goto(f"{app.address}/?model=spoiled")
    note = app.page.get_by_text("so its maps would come from random weights")
    expect(note).to_be_visible()
    app.page.get_by_role("button", name="Draw it anyway").click()
    app.drawn()
    for card in ("overview", "heatmap", "headview"):
        expect(app.page.locator(f".st-key-{card}_card .caption")).to_contain_text("tensors of the layers are random")


@pytest.mark.parametrize("name", ["../../etc/passwd", "http://host.invalid/x", "nobody/nothing", "x" * 5000])
def test_a_refused_name_leaves_the_figures_and_gets_one_sentence(app: App, name: str):
    app.open()
    app.page.get_by_text("More models").click()
    app.page.get_by_label("Name on the hub", exact=False).fill(name)
    app.page.keyboard.press("Enter")
    app.idle().page.get_by_role("button", name="Open, or download").click()
    expect(app.page.locator("[data-testid=stSidebar] .headlight-note.error")).to_have_count(1)
    assert app.drawn().queries()[1] == "The"
    assert app.page.locator("[data-testid=stException]").count() == 0


def test_hints_about_the_default_model_are_not_given_of_another(app: App):
    app.open(model="translator")
    assert not any("Look at" in note for note in app.notes())
    expect(app.page.get_by_role("heading", name="Layer 0 · Head 0")).to_be_visible()
    assert not any("There is no" in note for note in app.notes())


def test_a_failed_run_keeps_the_controls_that_led_to_it(app: App):
    app.open(model="translator").analyse(" ")
    assert "The text holds only spaces" in app.notes()[0]
    expect(app.page.get_by_label("Or make it say")).to_be_visible()


def test_the_model_report_opens(app: App):
    app.open()
    app.page.get_by_role("button", name="About the model").click()
    expect(app.page.get_by_text("103 tensors were loaded, all that the model has.")).to_be_visible()


def test_a_model_is_downloaded_from_a_hub_only_on_a_click(
    browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, byte_level
):
    folder = tmp_path_factory.mktemp("repository")
    network = save_model(folder, "gpt2", AutoModelForCausalLM, byte_level)
    with (
        serving(folder) as hub,
        running_server(
            tmp_path / "log.txt", HF_ENDPOINT=hub.address, HF_HOME=str(tmp_path / "hub"), HF_HUB_OFFLINE="0"
        ) as address,
        opened_app(browser, address) as app,
    ):
        app.open()
        app.page.get_by_text("More models").click()
        assert hub.asked == []
        app.page.get_by_label("Name on the hub", exact=False).fill(REPO)
        app.page.keyboard.press("Enter")
        app.idle().page.get_by_role("button", name="Open, or download").click()
        app.page.wait_for_url(f"**model={REPO.replace('/', '%2F')}**")
        assert app.drawn().page.locator(".provenance").inner_text().startswith(REPO)
        assert hub.asked
        labels = app.queries()
        assert app.problems == []
    with torch.no_grad():
        assert network.config.n_layer == 3
    assert labels[0] == "The"


def test_a_download_shows_its_progress_is_stopped_and_goes_on_later(
    browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, byte_level
):
    folder = tmp_path_factory.mktemp("repository")
    save_model(folder, "gpt2", AutoModelForCausalLM, byte_level)
    with (
        serving(folder, pause=0.3) as hub,
        running_server(
            tmp_path / "log.txt", HF_ENDPOINT=hub.address, HF_HOME=str(tmp_path / "hub"), HF_HUB_OFFLINE="0"
        ) as address,
        opened_app(browser, address) as app,
    ):
        app.open()
        app.page.get_by_text("More models").click()
        app.page.get_by_label("Name on the hub", exact=False).fill(REPO)
        app.page.keyboard.press("Enter")
        app.idle().page.get_by_role("button", name="Open, or download").click()
        expect(app.page.get_by_text(f"Downloading {REPO}", exact=False)).to_be_visible()
        app.page.get_by_role("button", name="Stop").click()
        expect(app.page.get_by_role("progressbar")).to_have_count(0)
        assert app.drawn().queries()[1] == "The"
        assert not list((tmp_path / "hub").rglob("snapshots/*/config.json"))
        hub.pause = 0.0
        app.idle().page.get_by_role("button", name="Open, or download").click()
        app.page.wait_for_url(f"**model={REPO.replace('/', '%2F')}**")
        assert app.drawn().page.locator(".provenance").inner_text().startswith(REPO)
        assert app.problems == []
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
