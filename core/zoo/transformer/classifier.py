"""An encoder that says which class a text belongs to."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers.modeling_outputs import SequenceClassifierOutput

from core.zoo.transformer.base import TransformerPreTrainedModel, one_stack
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.stack import Stack


class TransformerForSequenceClassification(TransformerPreTrainedModel):
    """A linear layer over the mean of the last states of all tokens that are no padding."""

    def __init__(self, config: TransformerConfig) -> None:
        config = one_stack(config)
        super().__init__(config)
        self.encoder = Stack(config, config.num_hidden_layers, causal=False)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels or 2)
        self.post_init()  # type: ignore[no-untyped-call]

    def get_input_embeddings(self) -> nn.Module:
        return self.encoder.tokens

    def set_input_embeddings(self, value: nn.Module) -> None:
        self.encoder.tokens = value

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        return_dict: bool = True,
    ) -> SequenceClassifierOutput | tuple[Any, ...]:
        """Logits (B, labels) of texts (B, T); see `Stack.forward` for the arguments."""
        encoded = self.encoder(input_ids, attention_mask, inputs_embeds, None, output_attentions, output_hidden_states)
        answer = SequenceClassifierOutput(
            logits=self.classifier(mean_of_real(encoded.last_hidden_state, attention_mask)),  # (B, D) -> (B, labels)
            hidden_states=encoded.hidden_states,
            attentions=encoded.attentions,
        )
        return answer if return_dict else answer.to_tuple()


def mean_of_real(states: Tensor, attention_mask: Tensor | None) -> Tensor:
    """The mean over the tokens that are no padding: (B, T, D), (B, T) -> (B, D)."""
    if attention_mask is None:
        return states.mean(dim=1)
    real = attention_mask.to(states.dtype)[..., None]  # (B, T, 1)
    return (states * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)  # (B, T, D) * (B, T, 1) -> (B, D)
