"""A classifier that sums the states of a text by attention: one learned query asks all of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import SequenceClassifierOutput

from core.zoo.pooling.configuration import PoolingConfig
from core.zoo.pooling.encoders import ENCODERS
from core.zoo.pooling.guided import Guided
from core.zoo.recurrent.initial import initialise, is_loaded
from core.zoo.recurrent.padding import mask_of
from core.zoo.scores import SCORES, Attention


class PoolingForSequenceClassification(PreTrainedModel):
    """Embeddings, an encoder, attention with one learned query or that of a guide, and a linear map to the labels."""

    config: PoolingConfig
    config_class = PoolingConfig
    main_input_name = "input_ids"
    _input_embed_layer = "embedding"

    def __init__(self, config: PoolingConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = ENCODERS[config.encoder](config)
        if config.attention == "guided":
            self.guided = Guided(PoolingForSequenceClassification(config.guide_config))
        else:
            self.query = nn.Parameter(torch.empty(width))
            self.attention = Attention(SCORES[config.attention](width, width), "pooling")
        self.classifier: nn.Module = nn.Linear(width, config.num_labels or 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool | None = None,
        **kwargs: Any,
    ) -> SequenceClassifierOutput:
        """Logits (B, labels) of texts (B, S), or of their embeddings (B, S, E).

        input_ids          also beside inputs_embeds where a guide gives the weights: it reads tokens of its own
        attention_mask     (B, S); without it, everything but the padding token is read
        output_attentions  attentions is then ((B, 1, 1, S),)

        Loss is the trainer's affair, so there are no labels. Raises HeadlightError for texts padded at the start,
        where the encoder is an LSTM, and for embeddings alone where there is a guide.
        """
        embedded = self.embedding(input_ids) if inputs_embeds is None else inputs_embeds
        mask = mask_of(input_ids, embedded, attention_mask, self.config.pad_token_id)
        states = self.encoder(self.dropout(embedded), mask)
        if self.config.attention == "guided":
            pooled, weights = self.guided(states, input_ids, mask)
        else:
            pooled, weights = self.attention(self._asked(states), self.attention.remember(states, mask))
        return SequenceClassifierOutput(
            logits=self.classifier(self.dropout(pooled[:, 0])),
            attentions=(weights[:, None],) if output_attentions else None,  # (B, 1, S) -> (B, 1, 1, S)
        )

    def weights_of(self, input_ids: Tensor, mask: Tensor) -> Tensor:
        """The attention weights alone (B, 1, S), for texts (B, S); of a network with attention of its own."""
        states = self.encoder(self.dropout(self.embedding(input_ids)), mask)
        weights: Tensor = self.attention.score.weights(self._asked(states), self.attention.remember(states, mask))
        return weights

    def _asked(self, states: Tensor) -> Tensor:
        """The learned query for each text of (B, S, H): (H,) -> (B, 1, H)."""
        return self.query.expand(states.shape[0], 1, -1)

    def _init_weights(self, module: nn.Module) -> None:
        initialise(module, self.config.forget_bias)
        if module is self and self.config.attention != "guided" and not is_loaded(self.query):
            # A larger one drives tanh into its flat ends within a few steps, and all weights stay alike.
            nn.init.normal_(self.query, std=1 / self.config.hidden_size)
