"""What a recurrent encoder-decoder is made of."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig

from core.errors import HeadlightError
from core.zoo.sizes import require_share, require_sizes

CELL_NAMES = ("tanh", "lstm", "gru")
# Those whose query is the state after the step, as in Luong et al. (2015).
LUONG = ("dot", "general", "concat", "sum", "local", "uniform")
ATTENTIONS = ("none", "additive", *LUONG)
STARTS = ("encoder", "zero")


class RecurrentConfig(PreTrainedConfig):
    """Sizes and parts of a recurrent encoder-decoder.

    hidden_size        width of the encoder's states and of the decoder's; a bidirectional encoder has half of it in
                       each direction, so that a query is as wide as a state
    num_hidden_layers  of the encoder; the decoder has one
    attention          "none": the decoder starts from the encoder's last states and sees nothing else of the source
    input_feeding      whether the decoder's output before is part of its input, as in Luong et al. (2015); None: with
                       every score but "additive", whose decoder is fed the context anyway
    window             D of "local"
    encoder_size       width of the encoder's states where they are wider or narrower than the decoder's: a linear map
                       then makes each of them as wide as those; None: hidden_size, and no map
    start              the decoder's first state: "encoder", of the encoder's last states; "zero", of nothing
    readout            whether the words are read from h~ = tanh(W [c; s]); else from [c; s] itself
    forget_bias        of an LSTM's forget gates at the start: what their two biases sum to
    tie_word_embeddings  one table for source, target and output, instead of three

    Raises HeadlightError if these do not fit together.
    """

    model_type = "headlight_recurrent"

    vocab_size: int = 64
    hidden_size: int = 64
    embedding_size: int = 64
    cell: str = "gru"
    num_hidden_layers: int = 1
    bidirectional: bool = True
    attention: str = "additive"
    input_feeding: bool | None = None
    window: int = 10
    encoder_size: int | None = None
    start: str = "encoder"
    readout: bool = True
    dropout: float = 0.0
    forget_bias: float = 0.0
    tie_word_embeddings: bool = False
    is_encoder_decoder: bool = True
    use_cache: bool = False
    pad_token_id: int | None = 0
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2
    decoder_start_token_id: int | None = 1

    def __post_init__(self, **kwargs: Any) -> None:
        require_sizes(
            vocab_size=self.vocab_size,
            hidden_size=self.hidden_size,
            embedding_size=self.embedding_size,
            num_hidden_layers=self.num_hidden_layers,
            window=self.window,
            encoder_size=self.encoder_width,
        )
        require_share("dropout", self.dropout)
        if self.input_feeding is None:
            self.input_feeding = self.attention in LUONG
        for wrong, sentence in self._misfits():
            if wrong:
                raise HeadlightError(sentence)
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]

    @property
    def encoder_width(self) -> int:
        """Of the encoder's own states, before any map."""
        return self.hidden_size if self.encoder_size is None else self.encoder_size

    @property
    def output_width(self) -> int:
        """Of what the words are read from."""
        return self.hidden_size if self.readout else 2 * self.hidden_size

    def _misfits(self) -> list[tuple[bool, str]]:
        """What may not fit together, each with the sentence about it."""
        return [
            (
                self.cell not in CELL_NAMES,
                f"There is no cell called {self.cell!r}: choose one of {', '.join(CELL_NAMES)}.",
            ),
            (
                self.attention not in ATTENTIONS,
                f"There is no attention called {self.attention!r}: choose one of {', '.join(ATTENTIONS)}.",
            ),
            (
                bool(self.input_feeding) and self.attention not in LUONG,
                f"Input feeding needs attention that asks after the step, and {self.attention!r} does not: choose one "
                f"of {', '.join(LUONG)}, or leave it out.",
            ),
            (
                self.bidirectional and self.encoder_width % 2 == 1,
                f"Both directions share the width, and {self.encoder_width} is odd: choose an even one.",
            ),
            (
                not self.is_encoder_decoder,
                "is_encoder_decoder is false, and a recurrent network has an encoder and a decoder: set it to true.",
            ),
            (
                self.tie_word_embeddings and self.embedding_size != self.output_width,
                f"Tied embeddings are as wide as what words are read from, and these are {self.embedding_size} and "
                f"{self.output_width} wide: choose equal widths, or do not tie them.",
            ),
            (
                self.start not in STARTS,
                f"There is no first state called {self.start!r}: choose one of {', '.join(STARTS)}.",
            ),
            (
                self.attention == "none" and (self.start == "zero" or not self.readout),
                "Without attention the decoder knows the source by its first state only and reads words from its own "
                'states: set start to "encoder" and readout to true.',
            ),
        ]
