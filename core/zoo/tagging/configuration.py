"""What a recurrent tagger is made of."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig

from core.errors import HeadlightError
from core.zoo.sizes import require_share, require_sizes

CELL_NAMES = ("tanh", "lstm", "gru")
ATTENTIONS = ("additive", "dot", "general", "concat", "sum", "uniform")


class TaggingConfig(PreTrainedConfig):
    """Sizes and parts of a network that gives each token one of `num_labels` labels.

    hidden_size  width of the states; each direction has half of it
    attention    one of `core.zoo.scores`: each state asks, all states of the text are looked at

    Raises HeadlightError if these do not fit together.
    """

    model_type = "headlight_tagging"

    vocab_size: int = 64
    hidden_size: int = 64
    embedding_size: int = 64
    cell: str = "lstm"
    num_hidden_layers: int = 1
    attention: str = "additive"
    dropout: float = 0.0
    forget_bias: float = 0.0
    tie_word_embeddings: bool = False
    is_encoder_decoder: bool = False
    use_cache: bool = False
    pad_token_id: int | None = 0
    bos_token_id: int | None = None
    eos_token_id: int | list[int] | None = None

    def __post_init__(self, **kwargs: Any) -> None:
        require_sizes(
            vocab_size=self.vocab_size,
            hidden_size=self.hidden_size,
            embedding_size=self.embedding_size,
            num_hidden_layers=self.num_hidden_layers,
        )
        require_share("dropout", self.dropout)
        for wrong, sentence in self._misfits():
            if wrong:
                raise HeadlightError(sentence)
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]

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
                self.hidden_size % 2 == 1,
                f"Both directions share the width, and {self.hidden_size} is odd: choose an even one.",
            ),
            (
                self.is_encoder_decoder,
                "is_encoder_decoder is true, and a tagger has no decoder: set it to false.",
            ),
        ]
