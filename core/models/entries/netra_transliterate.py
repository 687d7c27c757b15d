"""The English-Khmer transliterator of netra-transliterate: a small recurrent encoder-decoder from a Python package."""

from __future__ import annotations

from pathlib import Path

from core.jobs import Job
from core.models.catalogue import Entry
from core.models.packages import package_folder
from core.models.unpacking import unpacked_once

PACKAGE = "netra-transliterate"
MODEL, ASSETS = "bi_gru_attention_khmer_transliterator.keras", "gru_transliteration_assets.pkl"
DIGEST = "5f6b1af75679af1a3d56198a9035c4e70e973c99c354f0db750f5cfa13809680"
# Raised when what is written changes, so that folders of older versions are left alone.
VERSION = 1


def _locate() -> Path:
    # With its dependencies it would bring TensorFlow along.
    folder = package_folder("khmer_transliterator", PACKAGE, f"pip install --no-deps {PACKAGE}==1.0.1")
    return folder / "weights"


def _unpack(folder: Path, job: Job | None) -> Path:
    def write(empty: Path) -> None:
        from core.models.transliterator import write_transliterator  # brings torch along

        write_transliterator(folder / MODEL, folder / ASSETS, empty)

    return unpacked_once(folder / MODEL, DIGEST, VERSION, write, job)


ENTRY = Entry(
    name="netra-transliterate",
    summary=(
        "English-Khmer transliterator (GRU in both directions, additive attention), trained without a padding mask: it "
        "attends to the padding after the word, too"
    ),
    licence="MIT",
    nbytes=1_020_000,
    package=PACKAGE,
    locate=_locate,
    digests={MODEL: DIGEST, ASSETS: "a163c7264d1a68d3d78fc9777f0f82b9bb695796faf33f63b5c16bed2204b6d9"},
    unpack=_unpack,
    answers=True,
)
