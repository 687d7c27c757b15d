"""What makes one Transformer differ from another."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig

from core.errors import HeadlightError
from core.positions import TRAINABLE, scheme_named
from core.zoo.sizes import require_share, require_sizes

NORMS = ("pre", "post")


class TransformerConfig(PreTrainedConfig):
    """Sizes and choices of a Transformer; all of it goes into its config.json.

    hidden_size, num_attention_heads   width D of the hidden states, and the heads H that share it
    num_hidden_layers                  of the encoder, or of the only stack
    num_decoder_layers                 of an encoder-decoder's decoder
    intermediate_size                  of the feed-forward layers; 4 * hidden_size where it is None
    positions                          one of `core.positions.TRAINABLE`
    norm                               "pre": each sublayer reads normalised states, and the last layer's are normalised
                                       at the end; "post": each sum is normalised (Vaswani and others 2017)
    scaled                             whether scores are divided by the root of the head's width
    dropout                            at three places: sum of embeddings, attention weights, output of each sublayer
    max_position_embeddings            tokens of the longest text; only learned positions end there by themselves
    Raises HeadlightError for choices that do not go together.
    """

    model_type = "headlight_transformer"

    vocab_size: int = 32
    hidden_size: int = 64
    num_hidden_layers: int = 2
    num_decoder_layers: int = 2
    num_attention_heads: int = 4
    intermediate_size: int | None = None
    positions: str = "sinusoidal"
    norm: str = "pre"
    scaled: bool = True
    dropout: float = 0.1
    max_position_embeddings: int = 512
    tie_word_embeddings: bool = True
    is_encoder_decoder: bool = True
    use_cache: bool = False
    pad_token_id: int | None = 0
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2
    unk_token_id: int | None = 3
    decoder_start_token_id: int | None = 1

    def __post_init__(self, **kwargs: Any) -> None:
        require_sizes(
            vocab_size=self.vocab_size,
            hidden_size=self.hidden_size,
            num_hidden_layers=self.num_hidden_layers,
            num_decoder_layers=self.num_decoder_layers,
            num_attention_heads=self.num_attention_heads,
            max_position_embeddings=self.max_position_embeddings,
        )
        require_share("dropout", self.dropout)
        if self.intermediate_size is None:
            self.intermediate_size = 4 * self.hidden_size
        require_sizes(intermediate_size=self.intermediate_size)
        if not scheme_named(self.positions).trains:
            raise HeadlightError(
                f"Models are not built with {self.positions} positions here: choose one of {', '.join(TRAINABLE)}."
            )
        if self.norm not in NORMS:
            raise HeadlightError(f"There is no norm called {self.norm}: choose pre or post.")
        if self.hidden_size % self.num_attention_heads:
            raise HeadlightError(
                f"A width of {self.hidden_size} cannot be shared by {self.num_attention_heads} heads: choose a width "
                "that is a multiple of the number of heads."
            )
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]

    @property
    def head_width(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.hidden_size // self.num_attention_heads
