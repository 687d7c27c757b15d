"""What a classifier with pooling attention is made of."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig

from core.errors import HeadlightError
from core.zoo.sizes import require_share, require_sizes

ENCODERS = ("bilstm", "cnn", "average")
ATTENTIONS = ("additive", "dot", "uniform")


class PoolingConfig(PreTrainedConfig):
    """Sizes and parts of a classifier that sums the states of a text by attention, as Jain & Wallace (2019) have it.

    hidden_size   width of the states
    encoder       "bilstm": an LSTM in both directions; "cnn": filters of `kernel_sizes`; "average": each embedding by
                  itself, so that the order of the words is lost
    attention     "additive": v · tanh(W q + U h), "dot": q · h, with a learned query q; "uniform": the mean
    kernel_sizes  odd widths of the filters, which share the states' width evenly
    forget_bias   of the LSTM's forget gates at the start: what their two biases sum to

    Raises HeadlightError if these do not fit together.
    """

    model_type = "headlight_pooling"

    vocab_size: int = 64
    hidden_size: int = 64
    embedding_size: int = 64
    encoder: str = "bilstm"
    attention: str = "additive"
    kernel_sizes: list[int] | tuple[int, ...] = (1, 3, 5, 7)
    dropout: float = 0.0
    forget_bias: float = 0.0
    tie_word_embeddings: bool = False
    is_encoder_decoder: bool = False
    use_cache: bool = False
    pad_token_id: int | None = 0
    bos_token_id: int | None = 1
    eos_token_id: int | list[int] | None = 2

    def __post_init__(self, **kwargs: Any) -> None:
        require_sizes(vocab_size=self.vocab_size, hidden_size=self.hidden_size, embedding_size=self.embedding_size)
        require_share("dropout", self.dropout)
        for wrong, sentence in self._misfits():
            if wrong:
                raise HeadlightError(sentence)
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]

    def _misfits(self) -> list[tuple[bool, str]]:
        """What may not fit together, each with the sentence about it."""
        return [
            (
                self.is_encoder_decoder,
                "is_encoder_decoder is true, and a classifier has no decoder: set it to false.",
            ),
            (
                self.encoder not in ENCODERS,
                f"There is no encoder called {self.encoder!r}: choose one of {', '.join(ENCODERS)}.",
            ),
            (
                self.attention not in ATTENTIONS,
                f"There is no attention called {self.attention!r}: choose one of {', '.join(ATTENTIONS)}.",
            ),
            (
                self.encoder == "bilstm" and self.hidden_size % 2 == 1,
                f"Both directions share the width, and {self.hidden_size} is odd: choose an even one.",
            ),
            (
                self.encoder == "cnn" and not self._filters_fit(),
                f"Filters have odd sizes and share the width of {self.hidden_size} evenly, which "
                f"{', '.join(map(str, self.kernel_sizes)) or 'none'} do not: choose other sizes or another width.",
            ),
        ]

    def _filters_fit(self) -> bool:
        sizes = self.kernel_sizes
        return bool(sizes) and all(size % 2 == 1 for size in sizes) and self.hidden_size % len(sizes) == 0
