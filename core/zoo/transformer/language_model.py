"""A decoder alone, which goes on with a text: the kind that GPT is."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import GenerationMixin
from transformers.modeling_outputs import CausalLMOutput

from core.zoo.transformer.base import TransformerPreTrainedModel, known, one_stack
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.stack import Stack

_FOR_A_STEP = ("attention_mask", "output_attentions", "output_hidden_states", "logits_to_keep")


class TransformerForCausalLM(TransformerPreTrainedModel, GenerationMixin):
    """Each token sees those before it; the output layer shares the embeddings where the config ties it."""

    _tied_weights_keys = {"lm_head.weight": "decoder.tokens.weight"}  # noqa: RUF012

    def __init__(self, config: TransformerConfig) -> None:
        config = one_stack(config)
        super().__init__(config)
        self.decoder = Stack(config, config.num_hidden_layers, causal=True)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()  # type: ignore[no-untyped-call]

    def get_input_embeddings(self) -> nn.Module:
        return self.decoder.tokens

    def set_input_embeddings(self, value: nn.Module) -> None:
        self.decoder.tokens = value

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        logits_to_keep: int = 0,
        return_dict: bool = True,
    ) -> CausalLMOutput | tuple[Any, ...]:
        """Logits (B, T, V) of the token after each of the text's; see `Stack.forward` for the arguments.

        logits_to_keep: only of the last so many rows; 0 keeps all.
        """
        decoded = self.decoder(input_ids, attention_mask, inputs_embeds, None, output_attentions, output_hidden_states)
        answer = CausalLMOutput(
            logits=self.lm_head(decoded.last_hidden_state[:, -logits_to_keep:]),  # (B, T, D) -> (B, T, V)
            hidden_states=decoded.hidden_states,
            attentions=decoded.attentions,
        )
        return answer if return_dict else answer.to_tuple()

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:
        """What `forward` takes for the next step of `generate`: the whole text, since nothing is cached."""
        return {"input_ids": input_ids, **known(kwargs, _FOR_A_STEP)}

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False
