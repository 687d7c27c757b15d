"""Whether the network of a folder's config may be built here without further ado, or in a box first.

A box takes seconds. Configs of families whose modules are counted by their layers alone need none once their sizes are
in range; what was built once in a box is not built there again as long as config and weights are the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from torch import nn

from core.errors import HeadlightError
from core.jobs import Job
from core.models.checking_configs import checked_config, remarks_on, sketched
from core.models.checking_configs.sketching import FEW_PARAMETERS, MOST_TIMES
from core.zoo import ARCHITECTURES

# Their configs count layers, and nothing else makes more modules.
PLAIN = frozenset((
    "albert", "bart", "bert", "bloom", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "falcon", "gemma",
    "gemma2", "gemma3_text", "gpt2", "gpt_neox", "gptj", "llama", "mamba", "marian", "mbart", "mistral", "modernbert",
    "mpnet", "mt5", "olmo2", "opt", "phi", "phi3", "qwen2", "qwen3", "roberta", "starcoder2", "t5", "xlm-roberta",
    "xlnet", *(own.config_class.model_type for own in ARCHITECTURES.values() if own.config_class),
))  # fmt: skip
# These turn queries and keys; others may write a table of positions row by row, which takes its time.
WITHOUT_TABLE = frozenset((
    "falcon", "gemma", "gemma2", "gemma3_text", "gpt_neox", "llama", "mistral", "modernbert", "mt5", "olmo2", "phi",
    "phi3", "qwen2", "qwen3", "starcoder2", "t5",
))  # fmt: skip
FEW_LAYERS, FEW_POSITIONS, FEW_LABELS = 200, 4_096, 10_000
_LAYERS = re.compile(r"((num|n)_(\w+_)?(layers?|blocks|groups)|(\w+_)?(en|de)coder_layers)")
# ALBERT has so many layers in each of its groups.
_MORE_LAYERS = "inner_group_num"
_POSITIONS = re.compile(r"max_position_embeddings|n_positions|n_ctx|max_sequence_length")


@dataclass(frozen=True)
class _Built:
    """A config by what it says: where it lies, and who asked, do not matter to what was found out."""

    digest: str
    nbytes: int
    name: str = field(compare=False)
    folder: Path = field(compare=False)
    job: Job | None = field(compare=False)


def trusted(name: str, folder: Path, nbytes: int, job: Job | None) -> tuple[str, ...]:
    """Remarks on the config of a folder, whose network may be built here from now on.

    nbytes: of its weight files. Raises HeadlightError, one sentence, for a config that must not be used.
    """
    config = checked_config(name, folder)
    if not is_plain(config):
        digest = hashlib.sha256((folder / "config.json").read_bytes()).hexdigest()
        _build(_Built(digest, nbytes, name, folder, job))
    return remarks_on(config)


def is_plain(config: Mapping[str, Any]) -> bool:
    """Whether building the network of a checked config surely takes neither long nor much."""
    kind = config.get("model_type")
    # What was quantised has the modules that it had before.
    others = {key: value for key, value in config.items() if key != "quantization_config"}
    parts = [key for key, value in others.items() if key.endswith("config") and isinstance(value, dict)]
    layers = [value for key, value in config.items() if _LAYERS.fullmatch(key)]
    positions = [value for key, value in config.items() if _POSITIONS.fullmatch(key) and value is not None]
    return (
        kind in PLAIN
        and not parts
        and all(type(value) is int for value in layers)
        and sum(layers) <= FEW_LAYERS
        and config.get(_MORE_LAYERS) in (None, 1)
        and type(config.get("num_labels", 0)) is int
        and config.get("num_labels", 0) <= FEW_LABELS
        and (kind in WITHOUT_TABLE or all(type(value) is int and value <= FEW_POSITIONS for value in positions))
    )


def require_proportion(name: str, network: nn.Module, nbytes: int) -> None:
    """Raise HeadlightError for a network that is far larger than its files, of which most would be random."""
    parameters = sum(weight.numel() for weight in network.parameters())
    if parameters > max(MOST_TIMES * nbytes, FEW_PARAMETERS):
        raise HeadlightError(
            f"{name}: its config.json describes a network of {parameters:,} weights, and its files hold {nbytes:,} "
            "bytes; get its files again, or correct its config.json."
        )


@lru_cache(maxsize=256)
def _build(built: _Built) -> None:
    sketched(built.name, built.folder, built.nbytes, built.job)
