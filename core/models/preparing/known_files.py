"""Names of the files that are taken over from an upload; all others stay behind, programs first of all."""

from __future__ import annotations

CONFIG, GENERATION = "config.json", "generation_config.json"
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ADAPTER_CONFIG, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
TOLD, PREPARED = "training.json", "prepared.json"
# Of those that are read as JSON and have no vocabulary in them.
LONGEST_JSON = 4 << 20
# A tokenizer of 260,000 tokens takes 33 MB.
LONGEST_TOKENIZER = 64 << 20


def shard(number: int, count: int) -> str:
    """What the weight file of that number, from 1 on, is called among so many."""
    return f"model-{number:05d}-of-{count:05d}.safetensors"
