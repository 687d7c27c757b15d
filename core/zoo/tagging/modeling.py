"""A recurrent tagger: states of both directions, attention of each over all of them, a label for each token."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.modeling_outputs import TokenClassifierOutput

from core.zoo.recurrent.initial import initialise
from core.zoo.recurrent.layers import RecurrentLayers
from core.zoo.recurrent.padding import mask_of
from core.zoo.scores import SCORES, Attention
from core.zoo.tagging.configuration import TaggingConfig


class RecurrentForTokenClassification(PreTrainedModel):
    """Embeddings, recurrent layers in both directions, attention over their own states, a linear map to the labels."""

    config_class = TaggingConfig
    main_input_name = "input_ids"
    _input_embed_layer = "embedding"

    def __init__(self, config: TaggingConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = RecurrentLayers(
            config.cell, config.embedding_size, width, config.num_hidden_layers, dropout=config.dropout
        )
        self.attention = Attention(SCORES[config.attention](width, width), "self")
        self.classifier = nn.Linear(width, config.num_labels or 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool | None = None,
        **kwargs: Any,
    ) -> TokenClassifierOutput:
        """Logits (B, S, labels) of texts (B, S), or of their embeddings (B, S, E).

        attention_mask     (B, S); without it, everything but the padding token is read
        output_attentions  attentions is then ((B, 1, S, S),)

        Loss is the trainer's affair, so there are no labels. Raises HeadlightError for texts padded at the start.
        """
        embedded = self.embedding(input_ids) if inputs_embeds is None else inputs_embeds
        mask = mask_of(input_ids, embedded, attention_mask, self.config.pad_token_id)
        states = self.encoder(self.dropout(embedded), mask).each
        contexts, weights = self.attention(states, self.attention.remember(states, mask))
        return TokenClassifierOutput(
            logits=self.classifier(contexts),
            attentions=(weights[:, None],) if output_attentions else None,  # (B, S, S) -> (B, 1, S, S)
        )

    def _init_weights(self, module: nn.Module) -> None:
        initialise(module, self.config.forget_bias)
