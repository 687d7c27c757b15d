"""The Transformer as it was published: an encoder reads the source, a decoder writes the target."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import GenerationMixin
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput

from core.errors import HeadlightError
from core.zoo.transformer.base import TransformerPreTrainedModel, known, two_stacks
from core.zoo.transformer.config import TransformerConfig
from core.zoo.transformer.stack import Memory, Stack

_FOR_A_STEP = (
    "attention_mask", "decoder_attention_mask", "encoder_outputs", "output_attentions", "output_hidden_states",
    "logits_to_keep",
)  # fmt: skip


class TransformerForConditionalGeneration(TransformerPreTrainedModel, GenerationMixin):
    """Source and target share one vocabulary and its embeddings; the output layer too where the config ties it."""

    _tied_weights_keys = {"lm_head.weight": "encoder.tokens.weight"}  # noqa: RUF012

    def __init__(self, config: TransformerConfig) -> None:
        config = two_stacks(config)
        super().__init__(config)
        self.encoder = Stack(config, config.num_hidden_layers, causal=False)
        self.decoder = Stack(config, config.num_decoder_layers, causal=True, cross=True, embeds=False)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()  # type: ignore[no-untyped-call]

    def get_input_embeddings(self) -> nn.Module:
        return self.encoder.tokens

    def set_input_embeddings(self, value: nn.Module) -> None:
        self.encoder.tokens = value

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        encoder_outputs: BaseModelOutput | tuple[Tensor, ...] | None = None,
        inputs_embeds: Tensor | None = None,
        decoder_inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        logits_to_keep: int = 0,
        return_dict: bool = True,
    ) -> Seq2SeqLMOutput | tuple[Any, ...]:
        """Logits (B, T, V) of the token after each of decoder_input_ids (B, T), given input_ids (B, S).

        Masks are the tokenizer's, 0 at padding. encoder_outputs, where they are known, stand in for input_ids;
        inputs_embeds and decoder_inputs_embeds are token embeddings before their scaling by √D.
        logits_to_keep: only of the last so many rows; 0 keeps all.
        Raises HeadlightError where the decoder is given nothing to read.
        """
        if decoder_inputs_embeds is None:
            if decoder_input_ids is None:
                raise HeadlightError("An encoder-decoder's decoder needs something to read: pass decoder_input_ids.")
            decoder_inputs_embeds = self.get_input_embeddings()(decoder_input_ids)  # (B, T) -> (B, T, D)
        if encoder_outputs is None:
            encoder_outputs = self.encoder(
                input_ids, attention_mask, inputs_embeds, None, output_attentions, output_hidden_states
            )
        decoded = self.decoder(
            attention_mask=decoder_attention_mask,
            inputs_embeds=decoder_inputs_embeds,
            memory=Memory(encoder_outputs[0], attention_mask),
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
        )
        answer = Seq2SeqLMOutput(
            logits=self.lm_head(decoded.last_hidden_state[:, -logits_to_keep:]),  # (B, T, D) -> (B, T, V)
            decoder_hidden_states=decoded.hidden_states,
            decoder_attentions=decoded.attentions,
            cross_attentions=decoded.cross_attentions,
            encoder_last_hidden_state=encoder_outputs[0],
            encoder_hidden_states=getattr(encoder_outputs, "hidden_states", None),
            encoder_attentions=getattr(encoder_outputs, "attentions", None),
        )
        return answer if return_dict else answer.to_tuple()

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:
        """What `forward` takes for the next step of `generate`: all that is written, since nothing is cached."""
        return {"decoder_input_ids": input_ids, **known(kwargs, _FOR_A_STEP)}

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False
