"""What a classifier with pooling attention is made of."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedConfig

from core.errors import HeadlightError
from core.zoo.sizes import require_share, require_sizes

ENCODERS = ("bilstm", "cnn", "average", "mlp")
ATTENTIONS = ("additive", "dot", "uniform", "guided")
# Far more words than any filter of a text has been given.
WIDEST_FILTER = 1_000
# What a guide's config says of how it attends; its classifier is not needed.
OF_GUIDE = ("vocab_size", "hidden_size", "embedding_size", "encoder", "attention", "kernel_sizes", "pad_token_id")


class PoolingConfig(PreTrainedConfig):
    """Sizes and parts of a classifier that sums the states of a text by attention, as Jain & Wallace (2019) have it.

    hidden_size   width of the states
    encoder       "bilstm": an LSTM in both directions; "cnn": filters of `kernel_sizes`; "average": each embedding by
                  itself through a
                  ReLU, so that the order of the words is lost; "mlp": the same through a tanh
    attention     "additive": v · tanh(W q + U h), "dot": q · h, with a learned query q; "uniform": the mean; "guided":
                  the weights of another classifier of this kind, the guide, which stays as it is: the diagnostic MLP of
                  Wiegreffe & Pinter (2019)
    guide         of guided attention: the guide's own config, as `guide_values` gives it
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
    guide: dict[str, Any] | None = None
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
        if self.attention == "guided":
            self._require_guide()
        super().__post_init__(**kwargs)  # type: ignore[no-untyped-call]

    @property
    def guide_config(self) -> PoolingConfig:
        """The config of the guide. Raises HeadlightError where there is none."""
        return PoolingConfig(**(self.guide or {}))

    def _require_guide(self) -> None:
        """Raise HeadlightError unless the guide is a network that reads the same tokens and has weights of its own."""
        values = self.guide
        if not isinstance(values, dict) or not values:
            raise HeadlightError("Guided attention needs the config of its guide: give one as guide.")
        if unknown := sorted(str(name) for name in values if name not in OF_GUIDE):
            raise HeadlightError(f"The guide has {unknown[0]}, which is no value of a guide: leave it out.")
        if values.get("attention") == "guided":
            raise HeadlightError("The guide is guided itself: choose one with attention of its own.")
        guide = PoolingConfig(**values)
        if (guide.vocab_size, guide.pad_token_id) != (self.vocab_size, self.pad_token_id):
            raise HeadlightError(
                f"The guide reads {guide.vocab_size} tokens and this network {self.vocab_size}, or they differ in the "
                "one for padding: choose a guide of the same vocabulary."
            )

    def _misfits(self) -> list[tuple[bool, str]]:
        """What may not fit together, each with the sentence about it."""
        return [
            (
                self.is_encoder_decoder,
                "is_encoder_decoder is true, and a classifier has no decoder: set it to false.",
            ),
            (
                not self._pads_with_a_token(),
                f"pad_token_id is {self.pad_token_id!r}, no token of {self.vocab_size}: give another, or none.",
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
                self.guide is not None and self.attention != "guided",
                f"There is a guide, which {self.attention} attention does not follow: leave it out, or choose guided.",
            ),
            (
                self.encoder == "bilstm" and self.hidden_size % 2 == 1,
                f"Both directions share the width, and {self.hidden_size} is odd: choose an even one.",
            ),
            (
                self.encoder == "cnn" and not self._filters_fit(),
                f"Filters have odd sizes and share the width of {self.hidden_size} evenly, which "
                f"{str(self.kernel_sizes).strip('[]()') or 'none'} do not: choose other sizes or another width.",
            ),
        ]

    def _pads_with_a_token(self) -> bool:
        pad: Any = self.pad_token_id
        return pad is None or (type(pad) is int and 0 <= pad < self.vocab_size)

    def _filters_fit(self) -> bool:
        sizes: Any = self.kernel_sizes
        if not isinstance(sizes, list | tuple) or not sizes or self.hidden_size % len(sizes):
            return False
        return all(type(size) is int and 0 < size < WIDEST_FILTER and size % 2 == 1 for size in sizes)


def guide_values(config: PoolingConfig) -> dict[str, Any]:
    """What another network's config has to say of this one to be guided by it."""
    return {name: getattr(config, name) for name in OF_GUIDE}
