"""GGUF files, which hold quantised weights and a tokenizer, turned once into a folder that loads like any other."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from core.errors import HeadlightError
from core.jobs import Job
from core.models.cache import cache_folder, made_once

# Raised when what `_convert` writes changes, so that folders of older versions are left alone.
VERSION = 1
SEAL = "headlight.json"


def unpacked(file: Path, digest: str, job: Job | None = None) -> Path:
    """The folder with a GGUF file's weights in bfloat16 and its tokenizer, made now if nobody did before.

    digest: the file's SHA-256, which names the folder. The folder's own files are sealed by theirs.
    Raises HeadlightError, one sentence, when the file cannot be read or its folder cannot be written.
    """
    if job is not None:
        job.advance(0, 3, f"unpacking {file.name}, once")
    folder = cache_folder() / "unpacked" / f"{file.stem}-{digest[:12]}-v{VERSION}"
    return made_once(folder, _is_sealed, lambda empty: _convert(file, empty), job)


def _convert(file: Path, folder: Path) -> None:
    try:
        _write_network(file, folder)
        _write_tokenizer(file, folder)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise HeadlightError(f"{file.name} cannot be unpacked: get it again, or choose another model.") from error
    digests = {path.name: _digest(path) for path in sorted(folder.iterdir())}
    (folder / SEAL).write_text(json.dumps({"from": file.name, "sha256": digests}, indent=2))


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


def _is_sealed(folder: Path) -> bool:
    """Whether every file is there and unchanged since it was written."""
    try:
        digests: dict[str, str] = json.loads((folder / SEAL).read_text())["sha256"]
        return all(_digest(folder / name) == digest for name, digest in digests.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
