"""What the three decoders of a recurrent encoder-decoder have in common.

Shapes: B batch, T target tokens, S source tokens, E width of an embedding, H width of a state, G gates.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.zoo.recurrent.cells import CELLS, State
from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.encoder import Encoded
from core.zoo.scores import SCORES, Attention, Local, Score
from core.zoo.scores.score import Memory


class Carried(NamedTuple):
    """What a decoder takes from one step to the next.

    state   of the cell
    output  (B, H), or (B, 2 · H) without a readout: of the step before, zero before the first
    memory  what it looks at, the same at every step; None without attention
    """

    state: State
    output: Tensor
    memory: Memory | None


class RecurrentDecoder(nn.Module):
    """Embeddings, the first state and one cell, whose input is [embedding; what else the decoder is fed].

    fed_width: of what else it is fed, 0 for nothing
    """

    def __init__(self, config: RecurrentConfig, fed_width: int) -> None:
        super().__init__()
        kind, width = CELLS[config.cell], config.hidden_size
        self.embedding = nn.Embedding(config.vocab_size, config.embedding_size)
        self.dropout = nn.Dropout(config.dropout)
        learned = kind.parts if config.start == "encoder" else 0
        self.start = nn.ModuleList(nn.Linear(config.encoder_width, width) for _ in range(learned))
        self.cell = kind(config.embedding_size + fed_width, width)
        self.width, self.output_width = width, config.output_width

    def first_state(self, encoded: Encoded) -> State:
        """Of the encoder's final states: h = tanh(W h + b), and for an LSTM c = W c + b; or zero."""
        if not self.start:
            zero = encoded.last_hidden_state.new_zeros(len(encoded.last_hidden_state), self.width)  # (B, H)
            return (zero,) * self.cell.parts
        assert encoded.final_states is not None
        parts = encoded.final_states.unbind(1)  # (B, parts, H) -> parts of (B, H)
        first, *rest = (linear(part) for linear, part in zip(self.start, parts, strict=True))
        return torch.tanh(first), *rest

    def begin(self, encoded: Encoded, mask: Tensor) -> Carried:
        """Before the first step, for a source mask (B, S)."""
        state = self.first_state(encoded)
        output = state[0].new_zeros(len(state[0]), self.output_width)
        return Carried(state, output, self.memory(encoded, mask))

    def memory(self, encoded: Encoded, mask: Tensor) -> Memory | None:
        """What all steps look at."""
        return None

    def step(self, embedded: Tensor, carried: Carried) -> Carried:
        """One step of `forward` by itself: the newest token's embedding (B, E) -> what the next step needs."""
        raise NotImplementedError

    def given(self, embedded: Tensor) -> tuple[Tensor, ...]:
        """The embeddings' share of the gates, for all steps at once: (B, T, E) -> T of (B, G · H)."""
        weight = self.cell.weight_ih[:, : embedded.shape[2]]
        return F.linear(embedded.transpose(0, 1), weight, self.cell.bias_ih).unbind(0)

    def for_fed(self, embedded: Tensor) -> Tensor:
        """The cell's weights for what else it is fed, (fed_width, G · H)."""
        return self.cell.weight_ih[:, embedded.shape[2] :].T

    def unrolled(self, embedded: Tensor, state: State) -> Tensor:
        """All states of a decoder that is fed nothing else: (B, T, E) -> (B, T, H)."""
        states = []
        for given in self.given(embedded):
            state = self.cell.step(given, state)
            states.append(state[0])
        return torch.stack(states, dim=1)


class Readout(nn.Module):
    """h~ = tanh(W [c; s]), as in Luong et al. (2015): what the words are read from."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.of_both = nn.Linear(2 * width, width, bias=False)

    def forward(self, context: Tensor, state: Tensor) -> Tensor:
        return torch.tanh(self.of_both(torch.cat([context, state], dim=-1)))  # (…, 2 · H) -> (…, H)


class Joined(nn.Module):
    """[c; s] as it is."""

    def forward(self, context: Tensor, state: Tensor) -> Tensor:
        return torch.cat([context, state], dim=-1)  # (…, H), (…, H) -> (…, 2 · H)


def readout_of(config: RecurrentConfig) -> nn.Module:
    """What words are read from, as the config says: called with contexts and states (…, H)."""
    return Readout(config.hidden_size) if config.readout else Joined()


def cross_attention(config: RecurrentConfig) -> Attention:
    """Over the encoder's states, as the config says."""
    width = config.hidden_size
    score: Score
    if config.attention == "local":
        score = Local(width, width, config.window)
    else:
        score = SCORES[config.attention](width, width)
    return Attention(score, "cross")
