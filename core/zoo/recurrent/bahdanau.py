"""The decoder of Bahdanau, Cho & Bengio (2015): it asks with the state before the step.

s_t = cell([y_{t-1}; c_t], s_{t-1}) with c_t = attention(s_{t-1}). The words are read from h~ = tanh(W [c; s]) as in the
other decoders, where the paper has a maxout layer that also sees y_{t-1}.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.decoder import Carried, RecurrentDecoder, cross_attention, readout_of
from core.zoo.recurrent.encoder import Encoded
from core.zoo.scores.score import Memory


class BahdanauDecoder(RecurrentDecoder):
    """Looks, then steps."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config, fed_width=config.hidden_size)
        self.attention = cross_attention(config)
        self.readout = readout_of(config)

    def forward(self, embedded: Tensor, encoded: Encoded, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Embedded (B, T, E), source mask (B, S) -> outputs (B, T, H), weights (B, T, S)."""
        memory = self.memory(encoded, mask)
        state, for_context = self.first_state(encoded), self.for_fed(embedded)
        contexts, states, rows = [], [], []
        for given in self.given(embedded):
            context, weights = self.attention(state[0][:, None], memory)
            state = self.cell.step(torch.addmm(given, context[:, 0], for_context), state)
            contexts.append(context)
            states.append(state[0])
            rows.append(weights)
        outputs = self.readout(torch.cat(contexts, dim=1), torch.stack(states, dim=1))
        return outputs, torch.cat(rows, dim=1)

    def memory(self, encoded: Encoded, mask: Tensor) -> Memory:
        return self.attention.remember(encoded.last_hidden_state, mask)

    def step(self, embedded: Tensor, carried: Carried) -> Carried:
        assert carried.memory is not None
        context = self.attention(carried.state[0][:, None], carried.memory)[0][:, 0]
        state = self.cell(torch.cat([embedded, context], dim=1), carried.state)  # (B, E + H)
        return Carried(state, self.readout(context, state[0]), carried.memory)
