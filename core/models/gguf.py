"""GGUF files, which hold quantised weights and a tokenizer, turned once into a folder that loads like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
        write_network(file, folder)
        write_tokenizer(file, folder)

    return unpacked_once(file, digest, VERSION, write, job)


def write_network(file: Path, folder: Path) -> None:
    """Write the weights in bfloat16, and the config; errors are those of the libraries.

    A tensor that the file lacks is left out, so that loading reports it: the library draws it at random.
    """
    import torch
    from transformers import AutoModelForCausalLM, GgufConfig

    # The stubs do not know that loading info turns the result into a pair.
    loaded: Any = AutoModelForCausalLM.from_pretrained(
        file.parent,
        gguf_file=file.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.bfloat16,
        local_files_only=True,
        trust_remote_code=False,
        output_loading_info=True,
    )
    network, info = loaded
    missing = set(info["missing_keys"])
    held = {name: tensor for name, tensor in network.state_dict().items() if name not in missing}
    network.save_pretrained(folder, state_dict=held if missing else None)


def write_tokenizer(file: Path, folder: Path) -> None:
    """Write the tokenizer; errors are those of the libraries."""
    from transformers import AutoTokenizer

    AutoTokenizer.from_pretrained(
        file.parent, gguf_file=file.name, local_files_only=True, trust_remote_code=False
    ).save_pretrained(folder)
