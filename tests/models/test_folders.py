import os
import shutil
from pathlib import Path

import pytest

from core.models.folders import (
    DEEPEST,
    MOST,
    below_roots,
    folders_below_roots,
    roots,
    source_below_roots,
    sources_below_roots,
)
from core.models.quoting import shown
from tests.sentences import refused


def model_at(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two roots beside a folder that is none; the first is returned."""
    for name in ("first", "second", "secret"):
        model_at(tmp_path / name / "model")
    model_at(tmp_path / "first" / "team" / "deep")
    monkeypatch.setenv(
        "HEADLIGHT_MODELS", os.pathsep.join(map(str, [tmp_path / "first", tmp_path / "second", "", "/no"]))
    )
    return tmp_path / "first"


def test_without_the_setting_nothing_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HEADLIGHT_MODELS", raising=False)
    assert roots() == ()
    assert folders_below_roots() == ()
    with refused("HEADLIGHT_MODELS"):
        below_roots(str(model_at(tmp_path / "model")))


def test_folders_open_by_path_and_relative_to_their_root(root: Path) -> None:
    assert below_roots("model") == root / "model"
    assert below_roots("team/deep") == root / "team" / "deep"
    assert below_roots(str(root.parent / "second" / "model")) == root.parent / "second" / "model"


def test_what_can_be_opened_is_listed(root: Path) -> None:
    assert folders_below_roots() == ("model", "team/deep")


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../secret/model", "team/../../secret/model", "/etc", "~", "nothing", "a\0b", "x" * 5000, "team"],
)
def test_everything_else_stays_closed(root: Path, name: str) -> None:
    with refused("no model folder below"):
        below_roots(name)


def test_a_path_outside_is_told_nothing_about(root: Path) -> None:
    messages = []
    for name in (str(root.parent / "secret" / "model"), str(root.parent / "nowhere")):
        with pytest.raises(Exception, match="no model folder") as caught:
            below_roots(name)
        messages.append(str(caught.value).replace(shown(name), ""))
    assert messages[0] == messages[1]


def test_a_link_leads_out_of_no_root(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "secret" / "model")
    (root / "around").symlink_to(root / "around")
    for name in ("out", "around"):
        with refused("no model folder below"):
            below_roots(name)
    assert "out" not in folders_below_roots()


def test_a_link_inside_the_roots_is_followed(root: Path) -> None:
    (root / "alias").symlink_to(root.parent / "second" / "model")
    assert below_roots("alias") == root.parent / "second" / "model"


def test_a_root_may_itself_be_a_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root.parent / "entry").symlink_to(root)
    monkeypatch.setenv("HEADLIGHT_MODELS", str(root.parent / "entry"))
    assert below_roots("model") == root / "model"


def test_a_root_that_goes_away_closes_its_models(root: Path) -> None:
    shutil.rmtree(root / "model")
    shutil.rmtree(root.parent / "second")
    with refused("no model folder below"):
        below_roots("model")


@pytest.fixture
def sources(root: Path) -> Path:
    """The first root again, with weights that lack a config.json in it."""
    for name in ("alone.gguf", "one/a.pt", "two/a.PT", "two/b.ckpt", "split/m-00001-of-00002.bin", "model/extra.pt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    (root / "notes.txt").touch()
    (root / ".hidden.pt").touch()
    (root.parent / "secret" / "a.pt").touch()
    return root


def test_weights_without_a_config_are_listed(sources: Path) -> None:
    assert sources_below_roots() == ("alone.gguf", "one", "split", "two", "two/a.PT", "two/b.ckpt")
    assert folders_below_roots() == ("model", "team/deep")


def test_what_is_listed_can_be_looked_into(sources: Path) -> None:
    for name in (*sources_below_roots(), *folders_below_roots(), "team", "one/a.pt", "split/m-00001-of-00002.bin"):
        assert source_below_roots(name) == sources / name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../secret/a.pt", "../secret", "/etc/passwd", "nothing.pt", "notes.txt", "a\0b", "x" * 5000, "~"],
)
def test_no_other_source_is_looked_into(sources: Path, name: str) -> None:
    with refused("no weight file and no folder with one below"):
        source_below_roots(name)


def test_of_a_source_outside_nothing_is_told(sources: Path) -> None:
    messages = []
    for name in ("../secret/a.pt", "../nothing/a.pt"):
        with pytest.raises(Exception, match="no weight file") as caught:
            source_below_roots(name)
        messages.append(str(caught.value).replace(shown(name), ""))
    assert messages[0] == messages[1]


def test_links_to_sources_lead_out_of_no_root(sources: Path) -> None:
    (sources / "out.pt").symlink_to(sources.parent / "secret" / "a.pt")
    (sources / "alias.pt").symlink_to(sources / "one" / "a.pt")
    assert {"out.pt", "alias.pt"} & set(sources_below_roots()) == {"alias.pt"}
    with refused("no weight file"):
        source_below_roots("out.pt")


def test_sources_are_listed_within_bounds(sources: Path) -> None:
    deep = sources.joinpath(*"abcd"[:DEEPEST])
    for folder in (deep, deep / "below"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "a.pt").touch()
    assert {name for name in sources_below_roots() if name.startswith("a/")} == {"a/b/c"}
    for number in range(MOST):
        (sources / f"{number}.bin").touch()
    assert len(sources_below_roots()) == MOST


def test_uploads_of_sessions_are_no_models_of_the_server(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(root / "uploads"))
    (root / "uploads").mkdir(mode=0o700)
    other = model_at(root / "uploads" / "files")
    (other / "model.safetensors").touch()
    (root / "linked").symlink_to(other)
    assert folders_below_roots() == ("model", "team/deep")
    assert sources_below_roots() == ()
    for name in (str(other), "uploads/files", "linked"):
        for ask in (below_roots, source_below_roots):
            with refused("below the folders that this server opens"):
                ask(name)


def test_a_name_that_is_refused_is_shown_as_what_it_is(root: Path) -> None:
    with refused("no\\nsuch"):
        below_roots("no\nsuch\u202e")
