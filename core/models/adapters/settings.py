"""What an adapter_config.json says, as far as adding the adapter to its base needs it; nothing in it is run.

Sources: Hu et al. (2022), LoRA; Kalajdzievski (2023), rank-stabilised LoRA; Liu et al. (2024), DoRA.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import HeadlightError
from core.models.checking_configs.json_files import object_or_nothing
from core.models.quoting import shown

CONFIG = "adapter_config.json"
MOST_RANK = 4_096
MOST_ALPHA = 1e9
MOST_BYTES = 1 << 20
MOST_PATTERNS = 10_000
# Other ways to add to weights, all of them off in what is read here.
VARIANTS = (
    "use_qalora", "use_bdlora", "lora_bias", "layer_replication", "trainable_token_indices", "target_parameters",
    "alora_invocation_tokens", "megatron_config", "arrow_config", "kasa_config", "monteclora_config",
)  # fmt: skip
# These begin by changing the base's own weights, which the adapter's files do not hold.
CHANGE_THE_BASE = ("pissa", "olora", "corda", "loftq", "lora_ga")
# peft reads the keys of patterns as regular expressions; names, numbers and what lies between are enough and end soon.
_KEY = re.compile(r"\^?(?:\w|\\?\.|\.\*|\\d\+?)+\$?", re.ASCII)
_MOST_REPEATS = 3
_LONGEST_KEY = 300


@dataclass(frozen=True)
class Settings:
    """How an adapter is added: W becomes W + scale · B·A with A (rank, in) and B (out, rank).

    rank, alpha  those of all modules that no pattern names; scale = alpha / rank
    ranks        (pattern, rank) of modules that end like this, the first that fits; alphas likewise
    rooted       whether scale = alpha / √rank instead (rsLoRA)
    direction    whether W + scale · B·A is then scaled row by row to a length of its own (DoRA)
    targets      names that the changed modules end with; () where the config gives none
    task         what it was trained for, as peft calls it, such as "SEQ_CLS"; "" where it does not say
    tied         whether weights that two modules share stay shared when the adapter brings one of them
    """

    rank: int
    alpha: float
    ranks: tuple[tuple[re.Pattern[str], int], ...]
    alphas: tuple[tuple[re.Pattern[str], float], ...]
    rooted: bool
    direction: bool
    targets: tuple[str, ...]
    task: str
    tied: bool

    def rank_of(self, module: str) -> int:
        """The rank of what is added to a module."""
        return next((rank for pattern, rank in self.ranks if pattern.match(module)), self.rank)

    def scale_of(self, module: str) -> float:
        """What B·A is multiplied by in a module."""
        alpha = next((alpha for pattern, alpha in self.alphas if pattern.match(module)), self.alpha)
        rank = self.rank_of(module)
        return alpha / math.sqrt(rank) if self.rooted else alpha / rank


def settings_in(name: str, folder: Path) -> Settings:
    """The settings of the adapter in a folder. name: what sentences call it.

    Raises HeadlightError, one sentence, for another kind of adapter and for what describes none.
    """
    said = object_or_nothing(folder / CONFIG, MOST_BYTES)
    kind = said.get("peft_type")
    if isinstance(kind, str) and kind != "LORA":
        raise HeadlightError(
            f"{name} is an adapter of the kind {shown(kind)}, and only LoRA and its kin can be added here: merge it "
            "with peft and open the result."
        )
    rank: Any = said.get("r")
    alpha: Any = said.get("lora_alpha")
    bias, targets = said.get("bias", "none"), said.get("target_modules")
    if kind != "LORA" or not _is_rank(rank) or not _is_alpha(alpha) or bias not in ("none", "all", "lora_only"):
        raise HeadlightError(f"{name}: its {CONFIG} does not describe a LoRA adapter; get its files again.")
    if variants := [variant for variant in VARIANTS if said.get(variant)]:
        raise HeadlightError(
            f"{name} is no plain LoRA adapter ({variants[0]}): merge it with peft and open the result."
        )
    begun = said.get("init_lora_weights")
    if isinstance(begun, str) and begun.lower().startswith(CHANGE_THE_BASE):
        raise HeadlightError(
            f"{name} changed its base before it was trained (init_lora_weights {shown(begun)}), and its files do not "
            "hold how: merge it with peft and open the result."
        )
    return Settings(
        rank=rank,
        alpha=alpha,
        ranks=tuple((key, value) for key, value in _patterns(name, said.get("rank_pattern")) if _is_rank(value)),
        alphas=tuple((key, value) for key, value in _patterns(name, said.get("alpha_pattern")) if _is_alpha(value)),
        rooted=said.get("use_rslora") is True,
        direction=said.get("use_dora") is True,
        targets=tuple(map(str, targets)) if isinstance(targets, list) else (),
        task=str(said.get("task_type") or ""),
        tied=said.get("ensure_weight_tying") is True,
    )


def _patterns(name: str, said: Any) -> list[tuple[re.Pattern[str], Any]]:
    """The keys of a pattern as peft matches them: at the end of a module's name, after a full stop."""
    if said is None:
        return []
    if not isinstance(said, Mapping) or len(said) > MOST_PATTERNS:
        raise HeadlightError(f"{name}: its {CONFIG} does not describe a LoRA adapter; get its files again.")
    for key in said:
        repeats = key.count("*") + key.count("+")
        if len(key) > _LONGEST_KEY or repeats > _MOST_REPEATS or not _KEY.fullmatch(key):
            raise HeadlightError(
                f"{name}: the pattern {shown(key)} in its {CONFIG} is more than the name of a module: merge it with "
                "peft and open the result."
            )
    return [(re.compile(rf"(.*\.)?({key})$"), value) for key, value in said.items()]


def _is_rank(value: Any) -> bool:
    return type(value) is int and 0 < value <= MOST_RANK


def _is_alpha(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MOST_ALPHA  # of NaN this is not so
