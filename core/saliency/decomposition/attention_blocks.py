"""What `norms` and `alti` share: the measures of a model's attention blocks for one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.saliency.decomposition.families import stack_of
from core.saliency.decomposition.stack import Stack
from core.saliency.decomposition.states import states_of
from core.saliency.decomposition.vectors import by_rows, mixing
from core.saliency.question import Question

Measure = Callable[[Tensor, Tensor, Tensor], Tensor]


class Blocks:
    """The attention blocks of one run: what entered each layer, and the weights that it drew."""

    def __init__(self, question: Question) -> None:
        self._trace = question.trace
        self._stack: Stack = stack_of(question.model.network)
        self._states = states_of(question.model, question.reading, len(self._stack.layers))

    def __len__(self) -> int:
        return len(self._stack.layers)

    def measured(self, layer: int, measure: Measure, rows: Sequence[int] | None = None) -> Tensor:
        """A measure of a layer's vectors T_i(x_j) for some rows, or for all: (R, T) or (R,), on the CPU.

        measure: one of `core.saliency.decomposition.vectors`.
        """
        rows = range(len(self._states[0])) if rows is None else rows
        weights = self._trace.attention(layer)[:, list(rows)]  # (H, T, T) -> (H, R, T)
        return by_rows(self._stack.layers[layer], self._states[layer], weights, rows, measure).cpu()


def mixing_ratios(question: Question) -> Tensor:
    """How much of each layer's attention block comes from other tokens than the query's own: (layers, T), 0 to 1.

    Raises HeadlightError for models whose layers are not known.
    Source: Kobayashi and others 2021, section 3.3.
    """
    blocks = Blocks(question)
    return torch.stack([blocks.measured(layer, mixing) for layer in range(len(blocks))])  # L of (T,) -> (L, T)
