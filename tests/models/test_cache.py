import threading
import time
from pathlib import Path

import pytest

from core.jobs import Cancelled, Job
from core.models.cache import alone, cache_folder, made_once
from tests.sentences import refused


def is_whole(folder: Path) -> bool:
    return (folder / "done").is_file()


def make(folder: Path) -> None:
    (folder / "part").write_text("half")
    (folder / "done").write_text("all")


def test_the_folder_is_the_one_that_was_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADLIGHT_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_each_system_has_a_place_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str) -> None:
    for name in ("HEADLIGHT_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", system)
    expected = {"linux": ".cache", "darwin": "Library/Caches", "win32": "AppData/Local"}[system]
    assert cache_folder() == tmp_path / expected / "headlight"


def test_the_linux_rule_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HEADLIGHT_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "headlight"


def test_a_folder_is_made_once_and_used_again(tmp_path: Path) -> None:
    made = []

    def count(folder: Path) -> None:
        made.append(folder)
        make(folder)

    for _ in range(3):
        folder = made_once(tmp_path / "x" / "model", is_whole, count, None)
        assert (folder / "part").read_text() == "half"
    assert len(made) == 1
    assert sorted(p.name for p in folder.parent.iterdir()) == ["model", "model.lock"]


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "part").write_text("half")
        raise ValueError("the cable was pulled")

    with pytest.raises(ValueError, match="cable"):
        made_once(tmp_path / "model", is_whole, fail, None)
    assert [p.name for p in tmp_path.iterdir()] == ["model.lock"]
    made_once(tmp_path / "model", is_whole, make, None)


def test_a_damaged_folder_is_made_anew(tmp_path: Path) -> None:
    folder = made_once(tmp_path / "model", is_whole, make, None)
    (folder / "done").unlink()
    (folder / "stray").touch()
    made_once(tmp_path / "model", is_whole, make, None)
    assert sorted(p.name for p in folder.iterdir()) == ["done", "part"]


def test_threads_that_want_the_same_folder_make_it_once(tmp_path: Path) -> None:
    made = []

    def slow(folder: Path) -> None:
        made.append(folder)
        time.sleep(0.3)
        make(folder)

    threads = [
        threading.Thread(target=made_once, args=(tmp_path / "model", is_whole, slow, Job(str(i), "Open")))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_who_waits_can_go(tmp_path: Path) -> None:
    job = Job("ann", "Open", lambda progress: job.cancel())
    with alone(tmp_path / "lock", None), pytest.raises(Cancelled), alone(tmp_path / "lock", job):
        pytest.fail("two were in")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with refused("cannot be written", "HEADLIGHT_CACHE"):
        made_once(tmp_path / "file" / "model", is_whole, make, None)
