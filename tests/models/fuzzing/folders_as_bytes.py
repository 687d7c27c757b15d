"""A folder of files as one string of bytes, so that whatever changes bytes changes the files in it and their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# The first byte of a file says its name.
NAMES = (
    "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "pytorch_model.bin", "net.pt",
    "small.gguf", "vocab.txt", "vocab.json", "merges.txt", "adapter_config.json", "adapter_model.safetensors",
    "training.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors",
    "model-00002-of-00002.safetensors", "pytorch_model.bin.index.json", "special_tokens_map.json",
    "added_tokens.json", "spiece.model", "source.spm", "prepared.json", "modules.json", "last.ckpt",
    "inner/config.json", "inner/model.safetensors", "inner/adapter_config.json", "base/config.json",
    "base/model.safetensors", "generation_config.json", "README.md", "data.zip", "weights",
)  # fmt: skip
_LENGTH_BYTES = 3


def as_bytes(files: Mapping[str, bytes]) -> bytes:
    return b"".join(
        bytes([NAMES.index(name)]) + len(content).to_bytes(_LENGTH_BYTES, "little") + content
        for name, content in files.items()
    )


def files_in(data: bytes) -> dict[str, bytes]:
    """Any bytes are some folder: lengths beyond the end mean the rest."""
    files = {}
    while data:
        name, length = NAMES[data[0] % len(NAMES)], int.from_bytes(data[1 : 1 + _LENGTH_BYTES], "little")
        data = data[1 + _LENGTH_BYTES :]
        files[name], data = data[:length], data[length:]
    return files


def write(data: bytes, folder: Path) -> Path:
    """Write the files into a folder that is made for them."""
    folder.mkdir()
    for name, content in files_in(data).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def file_of(folder: Path, name: str, data: bytes) -> Path:
    """A file with these bytes."""
    (folder / name).write_bytes(data)
    return folder / name
