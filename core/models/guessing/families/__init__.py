"""The families of architectures, one file an idea: each proposes the networks that the tensors may belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.models.guessing.families import (
    albert,
    bart,
    bert,
    bloom,
    distilbert,
    gpt2,
    gpt_neox,
    headlight_pooling,
    headlight_recurrent,
    headlight_transformer,
    llama,
    opt,
    t5,
)
from core.models.guessing.results import Draft
from core.models.guessing.tensors import Tensors

_MODULES = (
    bert, distilbert, albert, gpt2, llama, gpt_neox, bloom, opt, t5, bart, headlight_transformer, headlight_recurrent,
    headlight_pooling,
)  # fmt: skip
FAMILIES: tuple[Callable[[Tensors], Iterator[Draft]], ...] = tuple(module.candidates for module in _MODULES)
