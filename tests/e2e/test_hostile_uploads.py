"""Hostile uploads in the browser: each is refused with its sentence, nothing runs, stays or is seen by anybody else."""

from __future__ import annotations

import json
import os
import re
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import tokenizers
from playwright.sync_api import expect

from tests.e2e.bringing import (
    OWNER,
    PATIENCE,
    arrive,
    below,
    bring,
    fill,
    give,
    is_refused,
    left,
    opened,
    press_open,
    soon,
    take,
)
from tests.e2e.browser import App, opened_app, running_server
from tests.e2e.upload_files import (
    TOKENIZER,
    Upload,
    decoder,
    forged_gguf,
    linked,
    lying_safetensors,
    of_folder,
    pickled,
    weights_of_molecules,
    with_pattern,
    zipped,
)
from tests.evil import Evil

IMAGE = "<img src=x onerror=alert(1)>.txt"
CATASTROPHIC = r"(a+)+b|(?:a|aa|A|AA)+\d"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that the server may write to: its uploads, and a temporary folder."""
    root = tmp_path_factory.mktemp("server")
    (root / "temporary").mkdir()
    return root


@pytest.fixture(scope="module")
def uploads(root: Path) -> Path:
    return root / "uploads"


@pytest.fixture(scope="module")
def server(root: Path, uploads: Path) -> Iterator[str]:
    """One whose sessions end a second after their tab; in the end nothing is left, within its folder and beside it."""
    log = root / "log.txt"
    with running_server(log, **variables(root, uploads)) as address:
        yield address
        assert soon(lambda: left(uploads) == [])
    assert troubles(log.read_text()) == [], log.read_text()[-3000:]
    assert sorted(path.name for path in root.iterdir()) == ["log.txt", "temporary", "uploads"]
    assert left(root / "temporary") == []


def troubles(log: str) -> list[str]:
    """The errors that a server has logged, without that of Streamlit's own about a browser that went away."""
    ends = re.findall(r"^\s*Traceback .*?^(\w.*?)$", log, re.DOTALL | re.MULTILINE)
    return [end for end in ends if not end.endswith("ClientDisconnect")]


def variables(root: Path, uploads: Path) -> dict[str, str]:
    return {
        "HEADLIGHT_UPLOADS": str(uploads),
        "TMPDIR": str(root / "temporary"),
        "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1",
    }


@pytest.fixture
def models(browser, server: str) -> Iterator[App]:
    """A tab on the Models page; a script of an upload that ran and opened a dialog would be one of its problems."""
    with opened_app(browser, server) as app:
        yield arrive(app)
    assert app.problems == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, byte_level: tokenizers.Tokenizer) -> dict[str, bytes]:
    """A sound model: its files by their names."""
    folder = tmp_path_factory.mktemp("whole")
    decoder(folder, byte_level)
    return {file.name: file.content for file in of_folder(folder, ("config.json", "model.safetensors", *TOKENIZER))}


def model_with(whole: dict[str, bytes], name: str, **files: bytes) -> Upload:
    """A zip of the sound model with some files replaced, each called without its ending."""
    replaced = {f"{file}.json": content for file, content in files.items()}
    return zipped(f"{name}.zip", [Upload(*file) for file in (whole | replaced).items()])


@pytest.fixture(scope="module")
def large() -> Upload:
    """A zip that takes a while to unpack: 300 MB, packed to 2 in a hundred of it."""
    part = b"".join(os.urandom(30_000) + bytes(1_970_000) for _ in range(50))
    return zipped("large.zip", [Upload(f"{number}.bin", part) for number in range(3)], method=zipfile.ZIP_DEFLATED)


def test_archives_that_lead_elsewhere_link_or_explode(models: App, uploads: Path, root: Path):
    before = sorted(below(root))
    sound = zipped("cut.zip", [Upload("a.txt", b"x" * 400)]).content
    bomb = zipped("bomb.zip", [Upload("zeros.bin", bytes(50_000_000))], method=zipfile.ZIP_DEFLATED)
    for archive, words in (
        (zipped("up.zip", [Upload("../../../evil.txt", b"x")]), "leads to another folder"),
        (linked("link.zip"), "a link, a device or a pipe"),
        (bomb, "100 times"),
        (Upload("cut.zip", sound[:-9]), "cut.zip"),
        (zipped("mark.zip", [Upload("gpj.\u202esafetensors", b"x")]), r"gpj.\u202esafetensors"),
        (zipped("line.zip", [Upload("a\nb", b"x")]), r"a\nb"),
        (zipped("long.zip", [Upload("n" * 4_096, b"x")]), "4,096 bytes"),
    ):
        is_refused(give(models, [archive]), words)
        expect(models.card("models_found")).to_have_count(0)
    assert left(uploads) == []
    assert sorted(below(root)) == before


def test_weights_that_lie_or_run_beside_names_that_are_markup(models: App, tmp_path: Path):
    made = tmp_path / "made"
    files = [
        pickled("runs.pt", {"a": Evil(made)}),
        lying_safetensors("far.safetensors", (2,), 1 << 40),
        lying_safetensors("huge.safetensors", (1 << 40, 1 << 20), 8),
        forged_gguf(tmp_path / "forged.gguf"),
        Upload(IMAGE, b"<script>alert(2)</script>"),
        Upload("a\u202eb.bin", b"x"),
    ]
    give(models, files)
    models.card("models_found").wait_for(timeout=PATIENCE)
    for words in ("runs.pt", "far.safetensors", "huge.safetensors", "forged.gguf", r"a\u202eb.bin"):
        is_refused(models, words)
    assert not made.exists()
    rows = models.page.locator(".headlight-files tbody th")
    expect(rows.filter(has_text=IMAGE)).to_have_text(IMAGE)
    assert models.page.locator("[data-testid=stMain] img[src=x]").count() == 0
    assert models.page.locator(".st-key-models_open").count() == 0


def test_configs_of_endless_size_or_with_code_of_their_own(models: App, whole: dict[str, bytes]):
    config = json.loads(whole["config.json"])
    for name, changes, words in (
        ("wide", {"n_embd": 10**9}, ("n_embd", "1,000,000,000")),
        ("deep", {"n_layer": 10**6}, ("n_layer", "1,000,000")),
    ):
        press_open(bring(models, [model_with(whole, name, config=json.dumps(config | changes).encode())]))
        is_refused(models, *words)
    own = {"model_type": "reptile", "auto_map": {"AutoModel": "evil.Model"}}
    bring(models, [model_with(whole, "code", config=json.dumps(config | own).encode())])
    expect(models.card("models_missing")).to_contain_text("the program that it brings is never run")


def test_a_tokenizer_that_never_ends_is_refused_while_others_go_on(
    models: App, browser, whole: dict[str, bytes], minilm
):
    spoiled = with_pattern(whole["tokenizer.json"], CATASTROPHIC)
    with opened_app(browser, models.address) as other:
        other.open()
        press_open(bring(models, [model_with(whole, "endless", tokenizer=spoiled.content)]))
        other.analyse("Bees fly home.").drawn()
        assert other.queries() == list(minilm.run("Bees fly home.").tokens.labels)
        is_refused(models, "Its tokenizer")
        assert other.problems == []


def test_the_users_own_expression_that_never_ends(models: App, tmp_path: Path):
    bring(models, [weights_of_molecules(tmp_path / "molecules.safetensors", 8)])
    take(models, "A regular expression")
    fill(models, "Regular expression", r"(a+)+$|(?:a|aa)+\d")
    fill(models, "Tokens", "<unk>\na\nb\nc\nd\ne\nf\ng")
    fill(models, "Try it on a text", "a" * 399 + "!")
    is_refused(models, "aaa!")
    expect(models.page.locator(".st-key-models_open button")).to_be_disabled()
    fill(models, "Try it on a text", "b")
    is_refused(press_open(models), "The regular expression", "too many steps")


def test_nobody_else_sees_a_model_and_it_is_deleted_with_its_tab(
    models: App, browser, whole: dict[str, bytes], uploads: Path
):
    opened(bring(models, [model_with(whole, "secret")]), "secret")
    assert left(uploads) != []
    with opened_app(browser, models.address) as other:
        arrive(other)
        expect(other.page.get_by_text("Ready to open")).to_be_visible()
        assert other.page.get_by_text("secret").count() == 0
        other.open(model="secret (own)")
        assert any("secret (own)" in sentence and "is not here" in sentence for sentence in other.notes())
        assert other.problems == []
    models.page.close()
    assert soon(lambda: left(uploads) == [])


def test_a_browser_that_goes_in_the_middle_of_an_upload_leaves_nothing(
    models: App, browser, uploads: Path, large: Upload
):
    slow = models.page.context.new_cdp_session(models.page)
    speed = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
    slow.send("Network.emulateNetworkConditions", speed)
    give(models, [large])
    expect(models.page.get_by_text("large.zip")).to_be_visible()
    models.page.close()
    with opened_app(browser, models.address) as second:
        give(arrive(second), [large])
        assert soon(lambda: left(uploads) != [])
        second.page.close()
    assert soon(lambda: left(uploads) == [])


def test_what_a_killed_server_leaves_is_deleted_by_the_next_one(browser, large: Upload, tmp_path: Path):
    uploads, log = tmp_path / "uploads", tmp_path / "log.txt"
    with running_server(log, **variables(tmp_path, uploads)) as address, opened_app(browser, address) as app:
        give(arrive(app), [large])
        assert soon(lambda: left(uploads) != [])
        owner = next(path for path in below(uploads) if path.name == OWNER)
        os.kill(json.loads(owner.read_text())["pid"], signal.SIGKILL)
        app.page.close()
    assert left(uploads) != []
    with running_server(log, **variables(tmp_path, uploads)) as address, opened_app(browser, address) as app:
        app.page.goto(f"{address}/training")
        assert soon(lambda: list(uploads.iterdir()) == [])
