"""Good archives are unpacked as the standard library packed them, whatever they are called."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import torch

from core.jobs import Cancelled, Job, Progress
from core.models.intake import Intake, Limits, is_archive, unpack
from tests.models.intake.packed import COMPRESSIONS, FILES, STRIPPED, member, tar_of, tarred, zip_of, zipped
from tests.sentences import refused

FORMS = [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]
PLAIN = {name: data for name, data in FILES.items() if name.isascii()}


def kept(path: Path, data: bytes) -> Path:
    """A file with these bytes."""
    path.write_bytes(data)
    return path


def contents(intake: Intake) -> dict[str, bytes]:
    """All files of an upload by their paths."""
    files = (path for path in intake.folder.rglob("*") if path.is_file())
    return {path.relative_to(intake.folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_is_unpacked_without_its_only_folder(method: int, intake: Intake, tmp_path: Path) -> None:
    paths = unpack(kept(tmp_path / "model.txt", zipped(method=method)), intake)
    assert contents(intake) == STRIPPED
    assert {path.relative_to(intake.folder).as_posix() for path in paths} == STRIPPED.keys()
    assert intake.nbytes == sum(map(len, FILES.values()))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_tar_is_unpacked_however_it_is_packed(compression: str, form: int, intake: Intake, tmp_path: Path) -> None:
    data = COMPRESSIONS[compression](tarred(form=form))
    unpack(kept(tmp_path / "model.zip", data), intake)
    assert contents(intake) == STRIPPED


@pytest.mark.parametrize("form", FORMS)
def test_long_names_come_whole(form: int, intake: Intake, tmp_path: Path) -> None:
    name = f"{'f' * 90}/{'m' * 80}/config.json"
    unpack(kept(tmp_path / "long.tar", tarred({name: b"1", "b": b"2"}, form)), intake)
    assert contents(intake) == {name: b"1", "b": b"2"}


def test_names_in_any_script_come_whole(intake: Intake, tmp_path: Path) -> None:
    files = {"模型.txt": b"1", "نموذج": b"2"}
    unpack(kept(tmp_path / "a", zipped(files)), intake)
    unpack(kept(tmp_path / "b", tarred({f"x/{name}": data for name, data in files.items()} | {"y": b""})), intake)
    assert contents(intake) == files | {f"x/{name}": data for name, data in files.items()} | {"y": b""}


def test_folders_and_what_macos_adds_are_left_out(intake: Intake, tmp_path: Path) -> None:
    extra = {"model/": b"", "model/empty/": b"", "__MACOSX/model/._config.json": b"x", "model/.DS_Store": b"x"}
    unpack(kept(tmp_path / "a", zipped({**extra, **FILES})), intake)
    assert contents(intake) == STRIPPED


def test_a_tar_of_the_current_folder_is_unpacked(intake: Intake, tmp_path: Path) -> None:
    entries = [(member(name, kind=tarfile.DIRTYPE), b"") for name in (".", "./sub")]
    unpack(
        kept(tmp_path / "a", tar_of(*entries, (member("./sub/._x", b"1"), b"1"), (member("./b", b"2"), b"2"))), intake
    )
    assert contents(intake) == {"b": b"2"}


def test_several_files_at_the_top_keep_their_folders(intake: Intake, tmp_path: Path) -> None:
    unpack(kept(tmp_path / "a", zipped({"a/x": b"1", "b/x": b"2"})), intake)
    assert contents(intake) == {"a/x": b"1", "b/x": b"2"}


def test_an_archive_inside_stays_packed(intake: Intake, tmp_path: Path) -> None:
    unpack(kept(tmp_path / "a", zipped({"inner.zip": zipped(), "inner.tar": tarred()})), intake)
    assert contents(intake) == {"inner.zip": zipped(), "inner.tar": tarred()}


def test_pieces_of_gzip_in_a_row_are_one(intake: Intake, tmp_path: Path) -> None:
    data = tarred()
    pieces = b"".join(gzip.compress(data[at : at + 999]) for at in range(0, len(data), 999))
    unpack(kept(tmp_path / "a", pieces + b"\0" * 99), intake)
    assert contents(intake) == STRIPPED


def test_a_comment_and_streamed_lengths_do_no_harm(intake: Intake, tmp_path: Path) -> None:
    class Pipe(io.RawIOBase):
        """What zipfile cannot seek in, so that lengths follow the bytes."""

        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"made with PK\x05\x06 love"
        for name, data in FILES.items():
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(data)
    unpack(kept(tmp_path / "a", pipe.data), intake)
    assert contents(intake) == STRIPPED


def test_no_right_is_taken_over(intake: Intake, tmp_path: Path) -> None:
    info = member("run.sh", b"x")
    info.mode = 0o6777
    unpack(kept(tmp_path / "a", tar_of((info, b"x"))), intake)
    assert (intake.folder / "run.sh").stat().st_mode & 0o7111 == 0


def test_a_job_hears_how_far_it_is(intake: Intake, tmp_path: Path) -> None:
    heard: list[Progress] = []
    file = kept(tmp_path / "model.tar", tarred())
    unpack(file, intake, Job("me", "upload", heard.append))
    assert heard[-1].done == heard[-1].total == file.stat().st_size
    assert "unpacking model.tar" in heard[-1].step


def test_a_cancelled_job_leaves_nothing(root: Path, tmp_path: Path) -> None:
    file = kept(tmp_path / "a", zipped({"a": os.urandom(200_000), "b": os.urandom(200_000)}, zipfile.ZIP_STORED))
    job = Job("me", "upload", lambda progress: job.cancel())
    with Intake() as intake:
        with pytest.raises(Cancelled):
            unpack(file, intake, job)
        assert contents(intake) == {}
        assert intake.nbytes == 0


def test_what_was_there_stays_when_an_archive_clashes_with_it(intake: Intake, tmp_path: Path) -> None:
    intake.add("VOCAB.txt", [b"mine"])
    with refused("one name on some systems"):
        unpack(kept(tmp_path / "a", zipped()), intake)
    assert contents(intake) == {"VOCAB.txt": b"mine"}
    assert intake.nbytes == 4


def test_a_checkpoint_is_no_archive(intake: Intake, tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(2)}, tmp_path / "model.zip")
    assert not is_archive(tmp_path / "model.zip")
    with refused("checkpoint of PyTorch"):
        unpack(tmp_path / "model.zip", intake)


@pytest.mark.parametrize("data", [b"", b"GGUF", b"{}", bytes(2_048), zipped()[:3]])
def test_other_files_are_no_archives(data: bytes, intake: Intake, tmp_path: Path) -> None:
    file = kept(tmp_path / "model.zip", data)
    assert not is_archive(file)
    with refused("neither a zip nor a tar"):
        unpack(file, intake)


def test_archives_are_told_by_their_content(tmp_path: Path) -> None:
    for data in (zipped(), tarred(), *(pack(tarred()) for pack in COMPRESSIONS.values())):
        assert is_archive(kept(tmp_path / "model.txt", data))


def test_a_large_zip_with_the_numbers_of_zip64_is_read(root: Path, tmp_path: Path) -> None:
    names = [f"{number}" for number in range(70_000)]
    file = kept(tmp_path / "a", zip_of(*((zipfile.ZipInfo(name), b"") for name in names)))
    with Intake(Limits(entries=20)) as intake, refused("more than 20"):
        unpack(file, intake)
