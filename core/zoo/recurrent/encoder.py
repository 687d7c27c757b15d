"""The encoder of a recurrent encoder-decoder: embeddings, dropout and recurrent layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from transformers.utils.generic import ModelOutput

from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.layers import RecurrentLayers
from core.zoo.recurrent.padding import mask_of


@dataclass
class Encoded(ModelOutput):
    """The states of `core.zoo.recurrent.layers`, under names that transformers' generation knows.

    last_hidden_state  (B, S, H), as wide as the decoder's
    final_states       (B, 1 or 2, E), E of `RecurrentConfig.encoder_width`
    mask               (B, S): 0 or False where there is padding
    """

    last_hidden_state: Tensor
    final_states: Tensor | None = None
    mask: Tensor | None = None


class RecurrentEncoder(nn.Module):
    """Reads the source."""

    main_input_name = "input_ids"

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.pad = config.pad_token_id
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.layers = RecurrentLayers(
            config.cell, config.embedding_size, config.encoder_width, config.num_hidden_layers, config.bidirectional,
            config.dropout,
        )  # fmt: skip
        mapped = config.encoder_size is not None
        self.projection = nn.Linear(config.encoder_width, config.hidden_size) if mapped else nn.Identity()

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        **kwargs: Any,
    ) -> Encoded:
        """Token ids (B, S), or their embeddings (B, S, E); what else generation says is of no concern here."""
        embedded = self.embedding(input_ids) if inputs_embeds is None else inputs_embeds
        mask = mask_of(input_ids, embedded, attention_mask, self.pad)
        states = self.layers(self.dropout(embedded), mask)
        return Encoded(last_hidden_state=self.projection(states.each), final_states=states.final, mask=mask)
