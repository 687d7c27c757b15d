"""Files for the uploaders: tiny models in the ways that people and programs save them, and hostile ones."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sentencepiece
import tokenizers
import torch
from gguf import GGUFWriter
from peft import LoraConfig, get_peft_model
from playwright.sync_api import FilePayload
from safetensors.torch import save_file
from torch import nn
from transformers import AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

from core.ui.models.tokenizer.texts import PLAIN
from tests.text.setups import sentencepiece_model
from tests.tiny import network_of, save_model, tiny_config

TOKENIZER = ("tokenizer.json", "tokenizer_config.json")
WORDPIECE = ("[UNK]", "[CLS]", "[SEP]", "the", "cat", "on", "mat", ".", "sa", "##t")
# Small enough that a tiny network fills several.
SHARD = "60KB"


class Upload(NamedTuple):
    """A file that a browser sends."""

    name: str
    content: bytes

    @property
    def payload(self) -> FilePayload:
        """As Playwright takes it."""
        return {"name": self.name, "mimeType": "application/octet-stream", "buffer": self.content}

    def saved(self, folder: Path) -> Path:
        """The same on the disk, in a folder."""
        path = folder / self.name
        path.write_bytes(self.content)
        return path


def decoder(folder: Path, tokenizer: tokenizers.Tokenizer) -> PreTrainedModel:
    """A tiny GPT-2 with all its files."""
    return save_model(folder, "gpt2", AutoModelForCausalLM, tokenizer)


def of_folder(folder: Path, names: Iterable[str] = ()) -> tuple[Upload, ...]:
    """The files of a folder, or those of these names."""
    paths = [folder / name for name in names] or sorted(path for path in folder.iterdir() if path.is_file())
    return tuple(Upload(path.name, path.read_bytes()) for path in paths)


def nested(source: Path, folder: Path) -> Path:
    """A folder with a model whose tokenizer lies in a folder inside, and what git keeps beside it."""
    for place, files in (
        (folder, of_folder(source, ("config.json", "model.safetensors"))),
        (folder / "tokenizer", of_folder(source, TOKENIZER)),
        (folder / ".git", (Upload("config", b"[core]"),)),
    ):
        place.mkdir()
        for file in files:
            file.saved(place)
    return folder


def zipped(name: str, files: Iterable[Upload], inside: str = "", method: int = zipfile.ZIP_STORED) -> Upload:
    """A zip of files. inside: the folder that they lie in."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for file in files:
            archive.writestr(zipfile.ZipInfo(f"{inside}{file.name}"), file.content, method)
    return Upload(name, target.getvalue())


def tarred(name: str, files: Iterable[Upload], inside: str = "") -> Upload:
    """A tar of files, packed by gzip."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for file in files:
            entry = tarfile.TarInfo(f"{inside}{file.name}")
            entry.size = len(file.content)
            archive.addfile(entry, io.BytesIO(file.content))
    return Upload(name, target.getvalue())


def pickled(name: str, held: Any) -> Upload:
    """What torch.save writes."""
    target = io.BytesIO()
    torch.save(held, target)
    return Upload(name, target.getvalue())


def written(name: str, said: Any) -> Upload:
    """A JSON file."""
    return Upload(name, json.dumps(said).encode())


def several_devices(name: str, network: PreTrainedModel) -> Upload:
    """A BERT as a training on several devices saves it: in a dictionary, with `module.` before each name."""
    state = {f"module.bert.{name}": tensor for name, tensor in network.state_dict().items()}
    return pickled(name, {"epoch": 3, "state_dict": state})


def weights_of_molecules(path: Path, rows: int) -> Upload:
    """Weights alone, of a decoder that reads `rows` tokens."""
    network = network_of(tiny_config("llama", vocab_size=rows), auto=AutoModelForCausalLM)
    save_file({name: tensor.contiguous() for name, tensor in network.state_dict().items()}, path)
    return Upload(path.name, path.read_bytes())


def vocabularies(tokenizer: tokenizers.Tokenizer, folder: Path) -> tuple[tuple[Upload, ...], dict[str, list[int]]]:
    """Vocabulary files of every kind, and the ids that a model reads an English text as by each that stands alone.

    Where a vocabulary names tokens for the two ends of a text, they are added.
    """
    tokenizer.model.save(str(folder))
    merged = tokenizer.encode(PLAIN).ids
    pieces = sentencepiece_model("bpe", vocab_size=80)
    files = (
        Upload("vocab.txt", "\n".join(WORDPIECE).encode()),
        *of_folder(folder, ("vocab.json", "merges.txt")),
        Upload("tokenizer.json", tokenizer.to_str().encode()),
        Upload("pieces.model", pieces),
    )
    start, end = (tokenizer.token_to_id(token) for token in ("<s>", "</s>"))
    read = {
        "vocab.txt": [1, 3, 4, 8, 9, 5, 3, 6, 7, 2],
        "vocab.json": [start, *merged, end],
        "tokenizer.json": merged,
        "pieces.model": [1, *sentencepiece.SentencePieceProcessor(model_proto=pieces).encode(PLAIN)],
    }
    return files, read


def adapter_of(network: PreTrainedModel, folder: Path, base: str) -> tuple[Upload, ...]:
    """A LoRA adapter, far from where it began, as peft saves it. base: what it calls its base."""
    adapted = get_peft_model(network, LoraConfig(r=2, lora_alpha=4, target_modules=["query", "value"]))
    adapted.peft_config["default"].base_model_name_or_path = base
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.1)
    adapted.save_pretrained(str(folder))
    return of_folder(folder, ("adapter_config.json", "adapter_model.safetensors"))


def sharded(folder: Path, tokenizer: tokenizers.Tokenizer) -> tuple[Upload, ...]:
    """A decoder in several files with their index."""
    network = decoder(folder / "whole", tokenizer)
    network.save_pretrained(folder / "shards", max_shard_size=SHARD)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder / "shards")
    return of_folder(folder / "shards")


def fine_tuned(network: nn.Module, part: str) -> dict[str, torch.Tensor]:
    """The weights of a network after a training that moved one part by half of its size."""
    return {
        name: tensor * 1.5 if part in name else tensor.clone()
        for name, tensor in network.state_dict().items()
        if "lm_head" not in name
    }


def lying_safetensors(name: str, shape: tuple[int, ...], end: int) -> Upload:
    """A file whose header says that one tensor has this shape and ends there, with 8 bytes behind it."""
    header = json.dumps({"a": {"dtype": "F32", "shape": list(shape), "data_offsets": [0, end]}}).encode()
    return Upload(name, len(header).to_bytes(8, "little") + header + bytes(8))


def with_pattern(tokenizer_json: bytes, pattern: str) -> Upload:
    """A tokenizer that cuts texts by another regular expression first."""
    told = json.loads(tokenizer_json)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return written("tokenizer.json", told | {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split]}})


def forged_gguf(path: Path) -> Upload:
    """A GGUF file whose header counts more tensors than there are bytes."""
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_tensor("token_embd.weight", np.zeros((3, 4), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    content = path.read_bytes()
    # After the magic number and the version.
    return Upload(path.name, content[:8] + (1 << 60).to_bytes(8, "little") + content[16:])


def linked(name: str) -> Upload:
    """A zip with a symbolic link in it."""
    target = io.BytesIO()
    info = zipfile.ZipInfo("config.json")
    info.create_system, info.external_attr = 3, (0o120777) << 16
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(info, b"/etc/passwd")
    return Upload(name, target.getvalue())
