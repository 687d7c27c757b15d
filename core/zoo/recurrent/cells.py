"""The three recurrent cells, written out. Their weights have torch's names and layout.

Shapes: B batch, I width of the input, H width of the state, G gates. `given` is W x + b of the input, (B, G · H).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

State = tuple[Tensor, ...]


class Cell(nn.Module):
    """One step of an RNN. A state is (h,), or (h, c) for an LSTM, each (B, H)."""

    gates = 1
    parts = 1

    def __init__(self, input_width: int, width: int) -> None:
        super().__init__()
        self.weight_ih = nn.Parameter(torch.empty(self.gates * width, input_width))
        self.weight_hh = nn.Parameter(torch.empty(self.gates * width, width))
        self.bias_ih = nn.Parameter(torch.empty(self.gates * width))
        self.bias_hh = nn.Parameter(torch.empty(self.gates * width))

    def forward(self, inputs: Tensor, state: State) -> State:
        """Inputs (B, I) and the state before -> the state after."""
        return self.step(F.linear(inputs, self.weight_ih, self.bias_ih), state)

    def step(self, given: Tensor, state: State) -> State:
        """The same where the input's share of the gates is known, (B, G · H)."""
        raise NotImplementedError


class TanhCell(Cell):
    """h' = tanh(W x + U h), of Elman (1990)."""

    def step(self, given: Tensor, state: State) -> State:
        return (torch.tanh(given + F.linear(state[0], self.weight_hh, self.bias_hh)),)


class LstmCell(Cell):
    """c' = f c + i g and h' = o tanh(c'), of Hochreiter & Schmidhuber (1997) and Gers et al. (2000)."""

    gates = 4
    parts = 2

    def step(self, given: Tensor, state: State) -> State:
        hidden, cell = state
        total = given + F.linear(hidden, self.weight_hh, self.bias_hh)
        enter, forget, new, out = total.chunk(4, dim=1)  # (B, 4 · H) -> four of (B, H)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
        return torch.sigmoid(out) * torch.tanh(cell), cell


class GruCell(Cell):
    """h' = (1 - z) n + z h with n = tanh(W x + r U h): of Cho et al. (2014), r after U as in torch and cuDNN."""

    gates = 3

    def step(self, given: Tensor, state: State) -> State:
        (hidden,) = state
        width = hidden.shape[1]
        before = F.linear(hidden, self.weight_hh, self.bias_hh)
        both = torch.sigmoid(given[:, : 2 * width] + before[:, : 2 * width])
        reset, update = both.chunk(2, dim=1)  # (B, 2 · H) -> two of (B, H)
        new = torch.tanh(given[:, 2 * width :] + reset * before[:, 2 * width :])
        return (torch.lerp(new, hidden, update),)


CELLS: dict[str, type[Cell]] = {"tanh": TanhCell, "lstm": LstmCell, "gru": GruCell}
