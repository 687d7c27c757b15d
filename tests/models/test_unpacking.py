"""Files of other programs are turned into a folder once, and nobody sees a folder that is not whole."""

import json
from pathlib import Path

import pytest

from core.errors import HeadlightError
from core.models.unpacking import SEAL, unpacked_once
from tests.sentences import refused

DIGEST = "0" * 64


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "odd.pt"


def write(folder: Path) -> None:
    (folder / "config.json").write_text("{}")


def left(tmp_path: Path) -> list[str]:
    return [path.suffix for path in (tmp_path / "cache" / "unpacked").iterdir()]


def test_a_file_is_unpacked_once_and_sealed(file: Path) -> None:
    folder = unpacked_once(file, DIGEST, 1, write)
    assert json.loads((folder / SEAL).read_text())["from"] == "odd.pt"

    def refuse(folder: Path) -> None:
        raise AssertionError

    assert unpacked_once(file, DIGEST, 1, refuse) == folder
    assert unpacked_once(file, DIGEST, 2, write) != folder


def test_a_changed_folder_is_made_again(file: Path) -> None:
    folder = unpacked_once(file, DIGEST, 1, write)
    (folder / "config.json").write_text("{ }")
    assert (unpacked_once(file, DIGEST, 1, write) / "config.json").read_text() == "{}"


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("odd"), HeadlightError("odd.pt is odd: get it again.")])
def test_a_file_that_cannot_be_unpacked_is_refused_and_leaves_nothing(
    file: Path, tmp_path: Path, error: Exception
) -> None:
    def fail(folder: Path) -> None:
        write(folder)
        raise error

    with refused("odd.pt", "get it again"):
        unpacked_once(file, DIGEST, 1, fail)
    assert left(tmp_path) == [".lock"]


def test_a_missing_package_is_named(file: Path) -> None:
    def fail(folder: Path) -> None:
        import no_such_module_here  # type: ignore[import-not-found]  # noqa: F401

    with refused("no_such_module_here", "pip install"):
        unpacked_once(file, DIGEST, 1, fail)
