"""The decoders of Luong, Pham & Manning (2015): they ask with the state after the step.

s_t = cell(…, s_{t-1}), then c_t = attention(s_t) and h~_t = tanh(W [c_t; s_t]), from which the words are read.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.decoder import Carried, RecurrentDecoder, cross_attention, readout_of
from core.zoo.recurrent.encoder import Encoded
from core.zoo.scores.score import Memory


class LuongDecoder(RecurrentDecoder):
    """Steps, then looks. As no step depends on what was seen before, all queries are asked at once."""

    def __init__(self, config: RecurrentConfig, fed_width: int = 0) -> None:
        super().__init__(config, fed_width)
        self.attention = cross_attention(config)
        self.readout = readout_of(config)

    def forward(self, embedded: Tensor, encoded: Encoded, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Embedded (B, T, E), source mask (B, S) -> outputs (B, T, H), weights (B, T, S)."""
        memory = self.memory(encoded, mask)
        states = self.unrolled(embedded, self.first_state(encoded))
        contexts, weights = self.attention(states, memory)
        return self.readout(contexts, states), weights

    def memory(self, encoded: Encoded, mask: Tensor) -> Memory:
        return self.attention.remember(encoded.last_hidden_state, mask)

    def step(self, embedded: Tensor, carried: Carried) -> Carried:
        assert carried.memory is not None
        state = self.cell(embedded, carried.state)
        context, _ = self.attention(state[0][:, None], carried.memory)
        return Carried(state, self.readout(context[:, 0], state[0]), carried.memory)


class FedLuongDecoder(LuongDecoder):
    """With input feeding: s_t = cell([y_{t-1}; h~_{t-1}], s_{t-1}), where the first h~ is zero."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config, fed_width=config.output_width)

    def forward(self, embedded: Tensor, encoded: Encoded, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Embedded (B, T, E), source mask (B, S) -> outputs (B, T, H), weights (B, T, S)."""
        memory = self.memory(encoded, mask)
        state, for_output = self.first_state(encoded), self.for_fed(embedded)
        output, outputs, rows = state[0].new_zeros(len(state[0]), self.output_width), [], []
        for given in self.given(embedded):
            state = self.cell.step(torch.addmm(given, output, for_output), state)
            context, weights = self.attention(state[0][:, None], memory)
            output = self.readout(context[:, 0], state[0])
            outputs.append(output)
            rows.append(weights)
        return torch.stack(outputs, dim=1), torch.cat(rows, dim=1)

    def step(self, embedded: Tensor, carried: Carried) -> Carried:
        return super().step(torch.cat([embedded, carried.output], dim=1), carried)  # (B, E + H)
