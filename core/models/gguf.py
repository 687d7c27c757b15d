"""GGUF files, which hold quantised weights and a tokenizer, turned once into a folder that loads like any other."""

from __future__ import annotations

from pathlib import Path

from core.jobs import Job
from core.models.unpacking import unpacked_once

# Raised when what is written changes, so that folders of older versions are left alone.
VERSION = 1


def unpacked(file: Path, digest: str, job: Job | None = None) -> Path:
    """The folder with a GGUF file's weights in bfloat16 and its tokenizer, made now if nobody did before.

    digest: the file's SHA-256, which names the folder. The folder's own files are sealed by theirs.
    Raises HeadlightError, one sentence, when the file cannot be read or its folder cannot be written.
    """

    def write(folder: Path) -> None:
        _write_network(file, folder)
        _write_tokenizer(file, folder)

    return unpacked_once(file, digest, VERSION, write, job)


def _write_network(file: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    network = AutoModelForCausalLM.from_pretrained(
        file.parent,
        gguf_file=file.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        local_files_only=True,
        trust_remote_code=False,
    )
    network.save_pretrained(folder)


def _write_tokenizer(file: Path, folder: Path) -> None:
    from transformers import AutoTokenizer

    AutoTokenizer.from_pretrained(
        file.parent, gguf_file=file.name, local_files_only=True, trust_remote_code=False
    ).save_pretrained(folder)
