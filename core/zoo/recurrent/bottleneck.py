"""The decoder without attention, of Sutskever et al. (2014): one vector is all it has of the source."""

from __future__ import annotations

from torch import Tensor

from core.zoo.recurrent.configuration import RecurrentConfig
from core.zoo.recurrent.decoder import Carried, RecurrentDecoder
from core.zoo.recurrent.encoder import Encoded


class BottleneckDecoder(RecurrentDecoder):
    """Starts from the encoder's final states and never looks back."""

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config, fed_width=0)

    def forward(self, embedded: Tensor, encoded: Encoded, mask: Tensor) -> tuple[Tensor, None]:
        """Embedded (B, T, E) -> outputs (B, T, H), and no weights."""
        return self.unrolled(embedded, self.first_state(encoded)), None

    def step(self, embedded: Tensor, carried: Carried) -> Carried:
        state = self.cell(embedded, carried.state)
        return Carried(state, state[0], None)
