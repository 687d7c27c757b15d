"""The network that is trained: its architecture and sizes, as the page and the command line choose them."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import HeadlightError

# Sequence-to-sequence networks by what their decoder attends with; all but the Transformer are recurrent.
ARCHITECTURES: dict[str, str] = {
    "none": "no attention",
    "additive": "additive attention",
    "dot": "dot attention",
    "general": "general attention",
    "concat": "concat attention",
    "local": "local attention",
    "transformer": "Transformer",
}
CELLS: dict[str, str] = {"tanh": "tanh RNN", "lstm": "LSTM", "gru": "GRU"}
POSITIONS = ("none", "sinusoidal", "learned", "shaw", "relative", "rotary", "alibi")
NORMS = ("pre", "post")
# What each of a network's values does, in a sentence or two.
ABOUT: dict[str, str] = {
    "architecture": "What the decoder attends with when it looks back at the source; all but the Transformer are"
    " recurrent.",
    "cell": "The recurrent unit that reads and writes.",
    "bidirectional": "A second encoder reads from the end; each state then knows what stands on both sides of its"
    " character.",
    "width": "Numbers in a hidden state and in an embedding.",
    "layers": "Of the encoder; a Transformer has as many in its decoder.",
    "heads": "Attention heads in each layer; they share the width.",
    "positions": "How the network knows where a character stands. With none, the encoder reads its source as a bag of"
    " characters: the Transformer cannot tell a text from its reverse.",
    "norm": "Before each sublayer (Pre-LN), or after each residual sum (Post-LN), which needs warm-up at high rates.",
    "scaled": "Divide each score by the root of the head's width, so that softmax does not start near one-hot.",
    "dropout": "Share of values set to zero in training.",
}
WIDEST, DEEPEST = 512, 12
# Values that only one of the two kinds of network has.
OF_RECURRENT = ("cell", "bidirectional")
OF_TRANSFORMER = ("heads", "positions", "norm", "scaled")


@dataclass(frozen=True)
class Settings:
    """A sequence-to-sequence network.

    architecture: one of ARCHITECTURES. cell, bidirectional: of a recurrent encoder. width: of the decoder and of the
    embeddings. layers: of the encoder, and for a Transformer as many in the decoder. heads, positions, norm, scaled:
    of a Transformer; scaled divides the scores by the root of a head's width. dropout: share of values set to zero.
    Raises HeadlightError for values that make no network.
    """

    architecture: str = "additive"
    cell: str = "gru"
    bidirectional: bool = True
    width: int = 64
    layers: int = 1
    heads: int = 4
    positions: str = "sinusoidal"
    norm: str = "pre"
    scaled: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        _one_of("architecture", self.architecture, tuple(ARCHITECTURES))
        _one_of("cell", self.cell, tuple(CELLS))
        _one_of("positions", self.positions, POSITIONS)
        _one_of("norm", self.norm, NORMS)
        _between("width", self.width, 2, WIDEST)
        _between("layers", self.layers, 1, DEEPEST)
        _between("heads", self.heads, 1, self.width if self.is_transformer else WIDEST)
        if not 0 <= self.dropout < 1:
            raise HeadlightError(f"dropout is {self.dropout}: choose a share from 0 up to, but not, 1.")
        if self.is_transformer:
            self._check_heads()
        elif self.width % 2 and self.bidirectional:
            raise HeadlightError(
                f"width is {self.width}: choose an even number, half of it for each reading direction."
            )

    def _check_heads(self) -> None:
        if self.width % self.heads:
            raise HeadlightError(
                f"A width of {self.width} does not divide into {self.heads} heads: change one of them."
            )
        if self.positions == "sinusoidal" and self.width % 2:
            raise HeadlightError(f"width is {self.width}: choose an even number, for pairs of a sine and a cosine.")
        if self.positions == "rotary" and self.width // self.heads % 2:
            raise HeadlightError(
                f"Rotary positions turn pairs of numbers, and a head here has {self.width // self.heads}: choose other"
                " positions, or a width that is an even number times the heads."
            )

    @property
    def is_transformer(self) -> bool:
        return self.architecture == "transformer"

    @property
    def attends(self) -> bool:
        """Whether its decoder looks back at the source at all."""
        return self.architecture != "none"

    @property
    def title(self) -> str:
        """What the network is called beside a curve: "GRU, additive attention"."""
        if self.is_transformer:
            return ARCHITECTURES[self.architecture]
        return f"{CELLS[self.cell]}, {ARCHITECTURES[self.architecture]}"


def unused_by(architecture: str) -> tuple[str, ...]:
    """Names of the values that a network of this architecture does not have."""
    return OF_RECURRENT if architecture == "transformer" else OF_TRANSFORMER


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise HeadlightError(f"{name} is “{value}”: choose one of {', '.join(allowed)}.")


def _between(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise HeadlightError(f"{name} is {value}: choose a number from {least} to {most}.")
