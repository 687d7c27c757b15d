"""Good weight files of every kind, written by the programs that write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from safetensors.torch import save_file

TENSORS = {
    "layer.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "layer.half": torch.zeros(4, dtype=torch.float16),
    "scalar": torch.tensor(3, dtype=torch.int64),
    "none": torch.zeros(0, 5),
}
SHAPES = {name: (str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)) for name, tensor in TENSORS.items()}


def safetensors_file(path: Path) -> Path:
    save_file(TENSORS, path, metadata={"format": "pt"})
    return path


def torch_file(path: Path, held: Any = TENSORS, *, zipped: bool = True) -> Path:
    torch.save(held, path, _use_new_zipfile_serialization=zipped)
    return path


def gguf_file(path: Path) -> Path:
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["a", "é", "猫"])
    writer.add_token_scores([0.5, 1.0, 2.0])
    writer.add_tensor("token_embd.weight", np.zeros((3, 4), np.float32))
    writer.add_tensor("q.weight", np.zeros((2, 34), np.uint8), raw_dtype=GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
