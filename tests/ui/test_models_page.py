"""The Models page without a browser: what comes in, what is refused, what opens, and what is gone afterwards."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from streamlit import config
from streamlit.testing.v1 import AppTest

from core.jobs import Job, Progress
from core.models.intake import limits
from core.models.shipped import WEIGHTS
from core.ui.models.bringing.arriving import received
from core.ui.starting import UPLOAD_OPTION, UPLOAD_UNIT, allow_uploads

POOLED = WEIGHTS / "sentiment-bilstm-additive-0"
WHOLE = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's uploads lie on the disk."""
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def models(page, kept: Path):
    """The Models page; nothing of it is on the disk any more when its session has ended."""
    return opened(page)


def opened(page):
    page.app.switch_page("pages/models.py")
    page.run()
    assert page.title == "Models"
    return page


class Named(io.BytesIO):
    """A file as an uploader holds it."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name, self.size = name, len(content)


def files_of(folder: Path, names: tuple[str, ...] = WHOLE) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names}


def zip_of(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def bring(page, files: dict[str, bytes]) -> None:
    page.app.file_uploader[0].set_value([(name, content, "") for name, content in files.items()])
    page.run()


def press(page, key: str) -> None:
    page.app.button(key=key).click()
    page.run()


def rows(page) -> list[tuple[str, str, str]]:
    """The table of files: severity, name, and what it holds."""
    html = page.html.replace("<wbr>", "")
    found = re.findall(r'<tr class="(\w+)"><th[^>]*><bdi>(.*?)</bdi></th><td class="kind">.*?</td><td>(.*?)</td>', html)
    return [(severity, unescape(name), unescape(told)) for severity, name, told in found]


def left(kept: Path) -> list[str]:
    """Names of all files that lie on the disk for uploads."""
    return sorted(path.name for path in kept.rglob("*") if path.is_file() and path.name != "owner.json")


def cards(page) -> str:
    return " ".join(markdown.value for markdown in page.app.markdown)


def keys(page) -> set[str]:
    return {button.key for button in page.app.button}


def test_the_empty_page_says_what_may_come_and_lists_what_is_here(models):
    assert "Bring all files of a model together: what you bring next takes the place of what is shown." in models.html
    assert "Up to 2,048 MB together" in models.html
    assert "all-MiniLM-L6-v2" in models.html
    assert not models.sentences
    assert models.address == {}
    models.app.text_input(key="models_filter").set_value("khmer mit")
    models.run()
    assert re.findall(r"headlight-model\"><b><bdi>(.*?)</bdi>", models.html) == ["netra-transliterate"]
    models.app.text_input(key="models_filter").set_value("no such model")
    models.run()
    assert "No model here has all these words." in models.html


def test_a_zip_of_a_folder_opens_on_the_attention_page_and_is_deleted_when_it_is_removed(models, kept: Path):
    files = {f"mine/{name}": content for name, content in files_of(POOLED).items()}
    bring(models, {"my model.zip": zip_of(files)})
    assert {name for _, name, _ in rows(models)} == set(WHOLE)
    assert left(kept) == sorted(WHOLE)
    assert models.app.text_input(key=models_key(models, "name")).value == "my model"
    press(models, "models_open")
    assert "Open: my model \\(own\\)" in cards(models)
    assert '"models_opened_card"]' in models.html
    assert "headlight_pooling" in models.html
    assert "models_to_alignment" not in keys(models)
    press(models, "models_put_away")
    assert "What came" not in cards(models)
    press(models, "models_to_attention")
    assert models.title == "Layer 0 · Head 0"
    assert models.address["model"] == "my model (own)"
    models.app.switch_page("pages/models.py")
    models.run()
    press(models, "models_remove_my model (own)")
    assert "my model (own)" not in models.html
    assert left(kept) == []


def test_without_a_name_a_model_is_called_what_its_files_call_it(models):
    bring(models, files_of(POOLED))
    models.app.text_input(key=models_key(models, "name")).set_value("  ")
    models.run()
    press(models, "models_open")
    assert "Open: headlight\\_pooling \\(own\\)" in cards(models)


def test_a_refusal_stands_in_the_table_alone(models):
    bring(models, {"model.safetensors": b"x" * 40})
    (severity, _, told), *_ = rows(models)
    assert severity == "error"
    assert not any(told[-30:] in sentence for sentence in models.sentences)


def test_an_adapter_is_chosen_before_its_base_and_has_a_name_of_its_own(models):
    lora = WEIGHTS / "sentiment-minilm-lora"
    names = ("adapter_config.json", "adapter_model.safetensors", "training.json")
    files = {f"mine/{name}": content for name, content in files_of(lora, names).items()}
    files |= {f"whole/{name}": content for name, content in files_of(POOLED).items()}
    bring(models, {"both.zip": zip_of(files)})
    assert models.app.selectbox(key="models_candidate_1").value == 1
    bring(models, files_of(lora, names))
    assert models.app.text_input(key=models_key(models, "name")).value == "all-MiniLM-L6-v2 adapter"


def test_another_tokenizer_may_take_the_place_of_the_one_that_came(models):
    bring(models, files_of(POOLED))
    assert "How does it read a text?" not in cards(models)
    next(each for each in models.app.toggle if each.label == "Use another tokenizer").set_value(True)
    models.run()
    assert "How does it read a text?" in cards(models)


def models_key(page, name: str) -> str:
    """The key of a control of the open form."""
    return next(box.key for box in page.app.text_input if str(box.key).endswith(f"_{name}"))


def test_what_came_last_takes_the_place_of_what_came_before_and_is_deleted_when_it_is_put_away(models, kept: Path):
    bring(models, {"config.json": b"{}", "vocab.txt": b"a\nb\n"})
    assert "What came: 2 files" in cards(models)
    assert not any("closed to make room" in sentence for sentence in models.sentences)
    bring(models, {"vocab.txt": b"a\n"})
    assert left(kept) == ["vocab.txt"]
    assert any(sentence.startswith("2 files was closed to make room") for sentence in models.sentences)
    assert any("no weights" in sentence for sentence in models.sentences)
    press(models, "models_put_away")
    assert left(kept) == []
    assert "What came" not in cards(models)
    assert not any("closed to make room" in sentence for sentence in models.sentences)


def test_what_was_opened_is_not_told_of_when_the_next_files_take_its_place(models):
    bring(models, files_of(POOLED))
    press(models, "models_open")
    assert "stay" in models.app.button(key="models_remove_opened").help
    bring(models, {"vocab.txt": b"a\n"})
    assert not any("closed to make room" in sentence for sentence in models.sentences)


def test_a_network_for_images_is_refused_before_anything_is_asked(models):
    config = {"model_type": "vit", "architectures": ["ViTForImageClassification"]}
    bring(models, files_of(POOLED) | {"config.json": json.dumps(config).encode()})
    severity, name, told = rows(models)[0]
    assert (severity, name) == ("error", "model.safetensors")
    assert "which reads images (pixel_values) and no text" in told
    assert "How does it read a text?" not in cards(models)
    assert "models_open" not in keys(models)


def test_a_refused_name_stands_first_in_red_and_the_rest_is_taken(models, kept: Path):
    bring(models, {"config.json": b"{}", "a\u202eb.bin": b"x", "<b>bold</b>.txt": b"x"})
    severity, name, told = rows(models)[0]
    assert (severity, name) == ("error", "a\\u202eb.bin")
    assert "an invisible mark" in told
    assert "<b>bold" not in models.html
    assert "&lt;b&gt;bold&lt;/b&gt;.txt" in models.html
    assert "config.json" in left(kept)


def test_a_hostile_archive_is_refused_in_a_sentence_and_leaves_nothing(models, kept: Path):
    bring(models, {"evil.zip": zip_of({"../../evil.txt": b"x", "config.json": b"{}"})})
    assert any("leads to another folder" in sentence for sentence in models.sentences)
    assert left(kept) == []
    assert "What came" not in cards(models)


def test_an_upload_beyond_the_bound_is_refused_in_a_sentence_and_leaves_nothing(
    page, kept: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HEADLIGHT_UPLOAD_MB", "1")
    opened(page)
    assert "Up to 1 MB together" in page.html
    bring(page, {"a.bin": bytes(600_000), "b.bin": bytes(600_000)})
    assert any("This upload is larger than 1 MB" in sentence for sentence in page.sentences)
    assert left(kept) == []


def test_a_bound_that_is_no_number_is_told_of(page, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HEADLIGHT_UPLOAD_MB", "much")
    assert any("HEADLIGHT_UPLOAD_MB must be" in sentence for sentence in opened(page).sentences)


def test_the_server_takes_files_as_large_as_an_upload_may_be(monkeypatch: pytest.MonkeyPatch):
    before = config.get_option(UPLOAD_OPTION)
    assert before * UPLOAD_UNIT > limits().nbytes
    monkeypatch.setenv("HEADLIGHT_UPLOAD_MB", "5000")
    try:
        allow_uploads()
        assert config.get_option(UPLOAD_OPTION) * UPLOAD_UNIT > limits().nbytes
    finally:
        config.set_option(UPLOAD_OPTION, before)


def bring_and_keep():
    """A script that brings an upload; what it learns stays in the state of its session."""
    import streamlit as st

    from core.models.intake import Intake
    from core.ui import resources
    from core.ui.models import state

    intake = state.belongs_to_session(Intake())
    intake.add("config.json", [b"{}"])
    st.session_state.session = resources.session()


def test_an_upload_is_deleted_with_its_session(kept: Path):
    app = AppTest.from_function(bring_and_keep, default_timeout=60).run()
    assert left(kept) == ["config.json"]
    app.session_state.session.end()
    assert left(kept) == []


def test_a_stopped_upload_leaves_nothing_and_is_not_begun_again(kept: Path):
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        received([Named("mine/config.json", bytes(9_000_000))], Job("me", "upload", stop))
    assert left(kept) == []


def test_folders_lose_the_name_that_all_share_and_hidden_files_stay_behind(kept: Path):
    files = [Named("mine/config.json", b"{}"), Named("mine/sub/a.txt", b"a"), Named("mine/.git/HEAD", b"x")]
    took = received(files, Job("me", "upload"))
    assert left(kept) == ["a.txt", "config.json"]
    assert {path.relative_to(took.intake.folder).as_posix() for path in took.intake.files} == {
        "config.json",
        "sub/a.txt",
    }
    assert (took.left_out, took.refused) == (1, ())
    took.intake.close()


def test_archives_are_unpacked_beside_loose_files(kept: Path):
    took = received([Named("a.zip", zip_of({"config.json": b"{}"})), Named("vocab.txt", b"a")], Job("me", "upload"))
    assert left(kept) == ["config.json", "vocab.txt"]
    took.intake.close()


def test_random_weights_are_refused_until_somebody_insists(models, kept: Path, tmp_path: Path):
    tensors = load_file(POOLED / "model.safetensors")
    lost = next(name for name in tensors if "attention" in name)
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, tmp_path / "model.safetensors")
    bring(models, files_of(POOLED) | {"model.safetensors": (tmp_path / "model.safetensors").read_bytes()})
    press(models, "models_open")
    assert '"models_failed"]' in models.html
    assert "models_insist" in keys(models)
    assert any("random" in sentence for sentence in models.sentences)
    press(models, "models_insist")
    assert "Open: " in cards(models)
    assert models.app.session_state["insisted_models"] == tuple(models.app.session_state["own_models"])


def test_the_servers_folders_are_looked_into_or_opened_and_without_any_it_is_said_how(
    models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    models.tell(models_way="server")
    assert models.address == {"way": "server"}
    assert any("HEADLIGHT_MODELS" in sentence for sentence in models.sentences)
    for folder, names in (("whole", WHOLE), ("bare", ("model.safetensors", "tokenizer.json"))):
        (tmp_path / "root" / folder).mkdir(parents=True)
        for name, content in files_of(POOLED, names).items():
            (tmp_path / "root" / folder / name).write_bytes(content)
    (tmp_path / "root" / "single.safetensors").write_bytes((POOLED / "model.safetensors").read_bytes())
    (tmp_path / "root" / "out.safetensors").symlink_to(POOLED / "model.safetensors")
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tmp_path / "root"))
    models.run()
    menu = models.app.selectbox(key="models_server")
    assert menu.options == ["whole", "bare", "single.safetensors"]
    press(models, "models_server_open")
    assert "Open: whole" in cards(models)
    for name in ("bare", "single.safetensors"):
        models.app.selectbox(key="models_server").set_value(name)
        models.run()
        press(models, "models_server_open")
        assert f"What came: {name.replace('.', chr(92) + '.')}" in cards(models)
        assert "What is missing" in cards(models)
    press(models, "models_put_away")
    assert (tmp_path / "root" / "single.safetensors").exists()


def test_a_model_of_the_hub_that_cannot_be_had_is_told_of(models):
    models.tell(models_way="hub")
    models.app.text_input(key="hub_name").set_value("nobody/nothing@v1")
    models.run()
    press(models, "hub_open")
    assert any("nobody/nothing@v1" in sentence for sentence in models.sentences)


def test_talk_mode_has_this_sessions_models_on_the_number_keys(models, tmp_path: Path):
    models.tell(own_models={"mine": tmp_path})
    press(models, "talk_button")
    assert models.address == {"talk": "1"}
    assert "models_talk_1" in keys(models)


def test_this_sessions_models_stand_in_the_list_with_what_was_chosen(models, tmp_path: Path):
    names = ("nano (own) (2)", "nano (own)")
    chosen = dict(zip(names, ("4 heads, chosen · characters of <b>.json", ""), strict=True))
    models.tell(own_models=dict.fromkeys(names, tmp_path), choices_of_own_models=chosen)
    assert '<span class="facts">4 heads, chosen · characters of &lt;b&gt;.json</span>' in models.html
    assert "other models stay" in models.app.button(key="models_remove_nano (own)").help


def test_a_tokenizer_that_gives_ids_beyond_the_table_is_doubted_before_anything_is_opened(models):
    files = files_of(POOLED)
    tokenizer = json.loads(files["tokenizer.json"])
    tokenizer["added_tokens"].append({**tokenizer["added_tokens"][0], "content": "<far>", "id": 99_999})
    bring(models, files)
    assert not any("may not belong together" in sentence for sentence in models.sentences)
    bring(models, files | {"tokenizer.json": json.dumps(tokenizer).encode()})
    doubts = [sentence for sentence in models.sentences if "may not belong together" in sentence]
    assert len(doubts) == 1
    assert "gives 100,000 different ids" in doubts[0]
