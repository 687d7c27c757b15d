"""An upload has a folder of its own, inside bounds, and nothing of it stays behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.jobs import Cancelled, Job
from core.models.intake import Intake, Limits, intake_root, sweep
from tests.sentences import refused


def everything_in(folder: Path) -> list[str]:
    """All files and folders below a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def parts_of(intake: Intake) -> list[str]:
    """What is begun and has no name yet."""
    return everything_in(intake.folder.parent / "parts")


def test_a_file_appears_at_its_place_with_its_bytes(intake: Intake) -> None:
    path = intake.add("model/config.json", [b"{", b"", b"}"])
    assert path == intake.folder / "model" / "config.json"
    assert path.read_bytes() == b"{}"
    assert (intake.nbytes, intake.files) == (2, (path,))


def test_nobody_else_may_look_into_it(intake: Intake, root: Path) -> None:
    for folder in (root, intake.folder.parent, intake.folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_is_not_there_before_all_of_it_has_come(intake: Intake) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        assert everything_in(intake.folder) == []
        yield b"whole"

    intake.add("model.bin", chunks())
    assert everything_in(intake.folder) == ["model.bin"]


def test_bytes_are_counted_as_they_come(intake: Intake) -> None:
    drawn = []

    def endless() -> Iterator[bytes]:
        while True:
            drawn.append(1)
            yield bytes(100_000)

    intake.add("first", [bytes(500_000)])
    with refused("larger than 1 MB", "HEADLIGHT_UPLOAD_MB"):
        intake.add("second", endless())
    assert len(drawn) == 6
    assert intake.nbytes == 500_000
    assert everything_in(intake.folder) == ["first"]
    assert parts_of(intake) == []


def test_a_cancelled_upload_leaves_nothing_of_the_file(intake: Intake) -> None:
    job = Job("me", "upload")

    def chunks() -> Iterator[bytes]:
        yield b"some"
        job.cancel()
        yield b"more"

    with pytest.raises(Cancelled):
        intake.add("model.bin", chunks(), job)
    assert (intake.nbytes, everything_in(intake.folder), parts_of(intake)) == (0, [], [])


def test_a_browser_that_leaves_ends_it_the_same_way(intake: Intake) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"some"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        intake.add("model.bin", chunks())
    assert (intake.nbytes, parts_of(intake)) == (0, [])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("config.json", "config.json"),
        ("config.json", "CONFIG.json"),
        ("e\u0301", "\u00c9"),
        ("straße", "STRASSE"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("a/b", "A/c"),
    ],
)
def test_two_names_that_some_systems_take_for_one_are_refused(first: str, second: str, intake: Intake) -> None:
    intake.add(first, [b"1"])
    with refused("keep one"):
        intake.add(second, [b"2"])
    assert [path.read_bytes() for path in intake.files] == [b"1"]


def test_files_and_folders_are_counted(intake: Intake) -> None:
    for number in range(18):
        intake.add(f"folder/{number}", [])
    intake.add("last", [])
    with refused("more than 20 files and folders"):
        intake.add("one more", [])


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", "a\0", "a/b/c/d/e"])
def test_nothing_is_written_outside(name: str, intake: Intake, root: Path) -> None:
    before = everything_in(root.parent)
    with refused():
        intake.add(name, [b"x"])
    assert everything_in(root.parent) == before


def test_closing_deletes_everything_and_refuses_what_still_comes(root: Path) -> None:
    intake = Intake()

    def chunks() -> Iterator[bytes]:
        yield b"some"
        intake.close()
        yield b"more"

    with refused("given up"):
        intake.add("model.bin", chunks())
    intake.close()
    with refused("given up"):
        intake.add("another", [])
    assert everything_in(root) == []
    assert intake.nbytes == 0


def test_a_full_disk_is_told_before_it_is_full(intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.models.intake.place.SPARE_BYTES", 1 << 62)
    with refused("no room"):
        intake.add("model.bin", [b"x"])
    assert parts_of(intake) == []


def test_the_root_is_refused_where_it_is_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / "link"))
    with refused("is a link", "HEADLIGHT_UPLOADS"):
        intake_root()


def test_the_root_is_refused_where_others_may_write(root: Path) -> None:
    root.mkdir()
    root.chmod(0o777)
    with refused("others may write to"):
        intake_root()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a folder away")
def test_the_root_is_refused_where_it_belongs_to_somebody_else(root: Path) -> None:
    root.mkdir(0o700)
    os.chown(root, 12_345, 12_345)
    with refused("belongs to somebody else"):
        intake_root()


@pytest.mark.parametrize("name", ["file", "file/below", "a" * 300])
def test_the_root_must_be_a_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(tmp_path / name))
    with refused("HEADLIGHT_UPLOADS"):
        intake_root()


def test_what_a_killed_server_left_is_swept_and_nothing_else(tmp_path: Path, root: Path, intake: Intake) -> None:
    kept = intake.add("mine", [b"1"])
    killed = "import os; from core.models.intake import Intake; Intake().add('theirs', [b'2']); os._exit(9)"
    subprocess.run([sys.executable, "-c", killed], check=False, cwd=Path(__file__).parents[3])
    precious = tmp_path / "precious"
    precious.mkdir()
    left = next(folder for folder in root.iterdir() if folder != intake.folder.parent)
    (left / "files" / "link").symlink_to(precious)
    (precious / "owner.json").write_bytes((left / "owner.json").read_bytes())
    (root / "upload-link").symlink_to(precious)
    (root / "upload-nobody").mkdir()
    (root / "upload-nonsense").mkdir()
    (root / "upload-nonsense" / "owner.json").write_text("[" * 900)
    (root / "other").mkdir()
    assert sweep() == 1
    assert not left.exists()
    assert kept.read_bytes() == b"1"
    assert (precious / "owner.json").exists()
    assert {"upload-link", "upload-nobody", "upload-nonsense", "other"} <= {path.name for path in root.iterdir()}


def test_a_number_that_another_process_has_by_now_is_no_owner(root: Path) -> None:
    intake = Intake(Limits())
    owner = intake.folder.parent / "owner.json"
    owner.write_text(owner.read_text().replace('"started": ', '"started": 1'))
    assert sweep() == 1
    assert everything_in(root) == []


def test_old_folders_of_boxes_are_swept_and_those_of_today_stay(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, new, other = (tmp_path / name for name in ("headlight-box-old", "headlight-box-new", "somebody-s"))
    for folder in (old, new, other):
        folder.mkdir(0o700)
        (folder / "file").touch()
    (tmp_path / "headlight-box-link").symlink_to(other)
    for folder in (old, other):
        os.utime(folder, (0, 0))
    assert sweep() == 1
    assert [folder.exists() for folder in (old, new, other, other / "file")] == [False, True, True, True]
