"""The shell around a user's module: to `core.models.model.Model` it is a network of transformers like any other.

Shapes: B texts, T tokens, E width of an embedding.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    AutoModel,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.utils.generic import ModelOutput

from core.models.plugging.answering import LABELS, TOKEN_LABELS, Answering
from core.models.plugging.raised import raised_in
from core.models.plugging.written_softmax import noticing

OPTIONAL = ("attention_mask", "token_type_ids", "decoder_input_ids")
# More ids than any text has: what a module without a table of embeddings can look up, nobody knows.
NO_TABLE = 1 << 31

_given: ContextVar[Tensor | None] = ContextVar("given_embeddings", default=None)


class PluggedConfig(PreTrainedConfig):
    """What Headlight asks a network's config, told of a user's module.

    attention  "none" where none was seen in the first runs
    file       the name of the plugin's file
    stand_in   an ordinary token, which stands where embeddings are given in the place of tokens
    """

    model_type = "plugin"

    attention: str = "seen"
    file: str = ""
    stand_in: int = 0
    vocab_size: int = 0
    type_vocab_size: int = 0
    pad_token_id: int | None = None
    decoder_start_token_id: int | None = None
    is_encoder_decoder: bool = False
    tie_word_embeddings: bool = False


class Plugged(PreTrainedModel):
    """The module, called with what it takes; its answer, under the name that says what it is.

    answering  how the module's answer is read
    table      the embeddings that the module looks its tokens up in, where it has one table for that
    """

    config: PluggedConfig
    config_class = PluggedConfig
    main_input_name = "input_ids"

    def __init__(
        self, config: PluggedConfig, module: nn.Module, answering: Answering, table: nn.Embedding | None
    ) -> None:
        super().__init__(config)
        self.module = module
        self.answering = answering
        self.all_tied_weights_keys = {}  # the library's own start of a network would draw its weights anew
        self._table = [name for name, each in module.named_modules() if each is table]
        if table is not None:
            table.register_forward_hook(_replaced)

    @property
    def takes(self) -> set[str]:
        """Names of what a call may be given."""
        named = inspect.signature(self.module.forward).parameters
        return {"input_ids", *(["inputs_embeds"] if self._table else []), *(n for n in OPTIONAL if n in named)}

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        **kwargs: Any,
    ) -> ModelOutput:
        """The answer to texts (B, T), or to embeddings (B, T, E). Raises HeadlightError where the module raises."""
        if input_ids is None:
            assert inputs_embeds is not None
            shape = inputs_embeds.shape[:2]
            input_ids = inputs_embeds.new_full(shape, self.config.stand_in, dtype=torch.long)  # (B, T)
        beside = dict(zip(OPTIONAL, (attention_mask, token_type_ids, decoder_input_ids), strict=True))
        taken = self.taken_of({name: tensor for name, tensor in beside.items() if tensor is not None})
        name, file = self.config.name_or_path, self.config.file
        with raised_in(file, f"{name} failed on this text, with"), noticing(), _given_embeddings(inputs_embeds):
            return self.answering.named(called(self.module, input_ids, taken))

    def taken_of(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Those of the inputs that the module takes."""
        return {name: tensor for name, tensor in inputs.items() if name in self.takes}

    def get_input_embeddings(self) -> nn.Module:
        """The table, or where there is none something of the same look that nothing can be looked up in."""
        return self.module.get_submodule(self._table[0]) if self._table else _NoTable()

    def can_generate(self) -> bool:  # type: ignore[override]
        return False

    @classmethod
    def _can_set_attn_implementation(cls) -> bool:
        """The module's own code decides."""
        return False


class PluggedForSequenceClassification(Plugged):
    """A module that answers with labels of the text."""


class PluggedForTokenClassification(Plugged):
    """A module that answers with labels of each token."""


CLASSES: dict[str, type[Plugged]] = {
    LABELS: PluggedForSequenceClassification,
    TOKEN_LABELS: PluggedForTokenClassification,
}
# What each answers is told as of any other network.
AutoModel.register(PluggedConfig, Plugged, exist_ok=True)
AutoModelForSequenceClassification.register(PluggedConfig, PluggedForSequenceClassification, exist_ok=True)
AutoModelForTokenClassification.register(PluggedConfig, PluggedForTokenClassification, exist_ok=True)


def called(module: nn.Module, input_ids: Tensor, others: dict[str, Tensor]) -> Any:
    """What a module answers. Its ids come first, whatever it calls them."""
    named = "input_ids" in inspect.signature(module.forward).parameters
    return module(input_ids=input_ids, **others) if named else module(input_ids, **others)


class _NoTable(nn.Module):
    """Stands for embeddings that a module does not have."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(NO_TABLE, 1, device="meta"), requires_grad=False)


@contextmanager
def _given_embeddings(embeddings: Tensor | None) -> Iterator[None]:
    token = _given.set(embeddings)
    try:
        yield
    finally:
        _given.reset(token)


def _replaced(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor | None:
    """In the place of what the table gives, the embeddings (B, T, E) that are given in this context, if any are."""
    given = _given.get()
    if given is not None and given.shape != output.shape:
        raise ValueError(f"embeddings of {tuple(given.shape)} stand for {tuple(output.shape)}")
    return given
