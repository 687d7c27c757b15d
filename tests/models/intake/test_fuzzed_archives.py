"""Random bytes and spoiled archives are refused or unpacked, and never do anything else."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import HeadlightError
from core.models.intake import Intake, Limits, is_archive, unpack
from tests.examples import examples
from tests.models.intake.packed import COMPRESSIONS, tar_header, tarred, zipped

BOUNDS = Limits(nbytes=100_000, entries=20, depth=4)
# Far more than any takes, for machines that are busy.
SECONDS = 5.0
GOOD = [zipped(), zipped(method=zipfile.ZIP_STORED), *(pack(tarred()) for pack in COMPRESSIONS.values())]
STARTS = [b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", tar_header()]
# Numbers that lengths and counts go wrong at.
EDGES = st.sampled_from([b"\0", b"\xff", b"\xff" * 4, b"\0" * 4, b"\x80" + b"\xff" * 7, b"/", b"../", b"PK\x01\x02"])


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A good archive, with bytes changed, cut out, doubled or cut off."""
    data = draw(st.sampled_from(GOOD))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        upto = draw(st.integers(at, min(len(data), at + 600)))
        new = draw(EDGES | st.binary(max_size=20) | st.just(data[at:upto] * 2))
        overwrite = draw(st.booleans())
        data = data[:at] + new + data[at + len(new) if overwrite else upto :]
    return data


@st.composite
def spoiled_inside(draw: st.DrawFn) -> bytes:
    """A tar spoiled before it is compressed, so that the checksum of the compression fits."""
    data = bytearray(tarred())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, 2_047))
        data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
    header = data[:512]
    data[148:156] = b"%06o\0 " % (sum(header[:148]) + sum(header[156:]) + 256)
    return gzip.compress(data, 1)


ANYTHING = (
    st.binary(max_size=2_000)
    | st.builds(bytes.__add__, st.sampled_from(STARTS), st.binary(max_size=1_500))
    | spoiled()
    | spoiled_inside()
)


def attempt(data: bytes, folder: Path) -> str:
    """Unpack these bytes and check all that must hold; what it was refused for, or nothing."""
    file = folder / "any.bin"
    file.write_bytes(data)
    began = time.monotonic()
    refusal = ""
    with Intake(BOUNDS) as intake:
        is_archive(file)
        try:
            files = unpack(file, intake)
            assert sum(path.stat().st_size for path in files) == intake.nbytes <= BOUNDS.nbytes
            assert all(path.is_relative_to(intake.folder) and path.resolve() == path for path in files)
        except HeadlightError as error:
            refusal = str(error)
            assert "\n" not in refusal
            assert refusal.endswith(".")
            assert not list((intake.folder.parent / "parts").iterdir())
            assert (intake.nbytes, intake.files) == (0, ())
        here = {path.name for path in folder.iterdir()}
    assert here <= {"any.bin", "uploads"}
    assert not list((folder / "uploads").iterdir())
    assert time.monotonic() - began < SECONDS
    return refusal


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """One folder for all examples."""
    made = Path(tempfile.mkdtemp()).resolve()
    yield made
    shutil.rmtree(made)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=ANYTHING)
def test_any_bytes_are_refused_or_unpacked(data: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(folder / "uploads"))
    attempt(data, folder)


def test_good_archives_pass_the_same_checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_UPLOADS", str(folder / "uploads"))
    assert [attempt(data, folder) for data in GOOD] == [""] * len(GOOD)
