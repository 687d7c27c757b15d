"""A recurrent encoder-decoder, with attention or without.

Shapes: B batch, S source tokens, T target tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from transformers import GenerationMixin, PreTrainedModel
from transformers.modeling_outputs import Seq2SeqLMOutput

from core.zoo.recurrent.bahdanau import BahdanauDecoder
from core.zoo.recurrent.bottleneck import BottleneckDecoder
from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.decoder import RecurrentDecoder
from core.zoo.recurrent.encoder import Encoded, RecurrentEncoder
from core.zoo.recurrent.initial import initialise
from core.zoo.recurrent.luong import FedLuongDecoder, LuongDecoder


class RecurrentForConditionalGeneration(PreTrainedModel, GenerationMixin):
    """Reads a source, writes a target.

    There is no cache of earlier steps: a call reads its target from the start, so `generate` gives the whole target to
    each of its steps, and the encoder's states once. `writer` keeps the decoder's state instead.
    """

    config_class = RecurrentConfig
    main_input_name = "input_ids"
    _tied_weights_keys = {  # noqa: RUF012
        "decoder.embedding.weight": "encoder.embedding.weight",
        "lm_head.weight": "encoder.embedding.weight",
    }

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        self.encoder = RecurrentEncoder(config)
        self.decoder = _decoder_of(config)
        self.dropout = nn.Dropout(config.dropout)
        self.lm_head = nn.Linear(config.output_width, config.vocab_size)
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        decoder_attention_mask: Tensor | None = None,
        encoder_outputs: Encoded | None = None,
        inputs_embeds: Tensor | None = None,
        decoder_inputs_embeds: Tensor | None = None,
        output_attentions: bool | None = None,
        **kwargs: Any,
    ) -> Seq2SeqLMOutput:
        """Logits (B, T, V) for the tokens after each of decoder_input_ids (B, T), source (B, S).

        attention_mask          (B, S); without it, everything but the padding token is read
        decoder_attention_mask  of no effect: padding at a target's end changes nothing before it
        encoder_outputs         what `get_encoder()` gave, instead of a source
        inputs_embeds, decoder_inputs_embeds  (B, S, E), (B, T, E), instead of ids
        output_attentions       cross_attentions is then ((B, 1, T, S),), or () for a model without attention

        Loss is the trainer's affair, so there are no labels. Raises HeadlightError for texts padded at the start.
        """
        encoded: Encoded = encoder_outputs or self.encoder(input_ids, attention_mask, inputs_embeds)
        mask = encoded.mask if attention_mask is None else attention_mask
        embedded = decoder_inputs_embeds
        if embedded is None:
            embedded = self.decoder.embedding(decoder_input_ids)
        outputs, weights = self.decoder(self.decoder.dropout(embedded), encoded, mask)
        maps = () if weights is None else (weights[:, None],)  # (B, T, S) -> (B, 1, T, S)
        return Seq2SeqLMOutput(
            logits=self.lm_head(self.dropout(outputs)),
            cross_attentions=maps if output_attentions else None,
            encoder_last_hidden_state=encoded.last_hidden_state,
        )

    def writer(self, encoded: Encoded, attention_mask: Tensor) -> Callable[[Tensor], Tensor]:
        """What is called with the newest token of each target (B,) and gives the logits (B, V) of the next.

        It starts at the beginning of the targets and keeps the decoder's state from call to call, so that a target of T
        tokens takes T steps. attention_mask: (B, S) of the source.
        """
        carried = self.decoder.begin(encoded, attention_mask)

        def write(newest: Tensor) -> Tensor:
            nonlocal carried
            carried = self.decoder.step(self.decoder.dropout(self.decoder.embedding(newest)), carried)
            return self.lm_head(self.dropout(carried.output))

        return write

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:
        """The whole target so far and the encoder's states, whatever is said of a cache."""
        wanted = ("attention_mask", "encoder_outputs", "output_attentions")
        return {"decoder_input_ids": input_ids} | {name: kwargs.get(name) for name in wanted}

    def get_input_embeddings(self) -> nn.Embedding:
        return self.encoder.embedding

    def _init_weights(self, module: nn.Module) -> None:
        initialise(module, self.config.forget_bias, self.config.tie_word_embeddings)


def _decoder_of(config: RecurrentConfig) -> RecurrentDecoder:
    if config.attention == "none":
        return BottleneckDecoder(config)
    if config.attention == "additive":
        return BahdanauDecoder(config)
    return FedLuongDecoder(config) if config.input_feeding else LuongDecoder(config)
