import os
import shutil
from pathlib import Path

import pytest

from core.models.folders import below_roots, folders_below_roots, roots
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
        messages.append(str(caught.value).replace(name, ""))
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
