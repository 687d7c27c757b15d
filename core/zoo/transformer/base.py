"""What the three models share: how their weights begin, and what they can do."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from torch import nn
from transformers import PreTrainedModel
from transformers import initialization as init

from core.positions.learned import INITIAL, Learned
from core.positions.relative import Relative
from core.positions.shaw import Shaw
from core.zoo.transformer.config import TransformerConfig


class TransformerPreTrainedModel(PreTrainedModel):
    """Linear layers begin by Glorot's rule, biases at 0; embeddings so that √D times one has entries of size 1."""

    config: TransformerConfig
    config_class = TransformerConfig
    base_model_prefix = ""
    supports_gradient_checkpointing = True
    _supports_sdpa = True
    _no_split_modules = ["Block"]  # noqa: RUF012  (transformers' own name and type)

    def _init_weights(self, module: nn.Module) -> None:
        match module:
            case nn.Linear():
                init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    init.zeros_(module.bias)
            case nn.Embedding():
                init.normal_(module.weight, std=self.config.hidden_size**-0.5)
            case nn.LayerNorm():
                init.ones_(module.weight)
                init.zeros_(module.bias)
            case Learned():
                init.normal_(module.table, std=INITIAL)
            case Relative():
                init.zeros_(module.table)
            case Shaw():
                init.xavier_uniform_(module.table)


def one_stack(config: TransformerConfig) -> TransformerConfig:
    """The same config for a model of one stack, which tells a recording that its attention is self-attention."""
    return _with_stacks(config, two=False)


def two_stacks(config: TransformerConfig) -> TransformerConfig:
    """The same config for an encoder-decoder: what a class is made of decides, whatever a config.json says."""
    return _with_stacks(config, two=True)


def _with_stacks(config: TransformerConfig, two: bool) -> TransformerConfig:
    config = copy.deepcopy(config)
    config.is_encoder_decoder = two
    return config


def known(arguments: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of the arguments that are named and given."""
    return {name: arguments[name] for name in names if arguments.get(name) is not None}
