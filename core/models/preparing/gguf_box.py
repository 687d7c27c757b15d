"""Runs in a box: a GGUF file's weights and tokenizer, written as the folder that other programs write.

What that takes is imported here, so that it costs the box neither its time nor its memory.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import gguf
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig  # noqa: F401

from core.models.gguf import write_network, write_tokenizer

# Bars are drawn by a thread of their own, which counts against the memory.
transformers.utils.logging.disable_progress_bar()
# The library reads the one file of a box three times, and makes the same map for each module: half of the time.
vars(gguf).update(GGUFReader=cache(gguf.GGUFReader), get_tensor_name_map=cache(gguf.get_tensor_name_map))


def write_folder(request: dict[str, Any]) -> None:
    """Fill the folder that the box works in.

    request: {"source": path, "tokenizer": whether that of the file is to be written too}.
    """
    source, here = Path(request["source"]), Path.cwd()
    write_network(source, here)
    if request["tokenizer"]:
        write_tokenizer(source, here)
