"""What each layer of a model received, by one pass of the model itself."""

from __future__ import annotations

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.models.model import Model
from core.models.reading import Reading


@torch.no_grad()
def states_of(model: Model, reading: Reading, layers: int) -> tuple[Tensor, ...]:
    """What enters each layer, and what is after the last and its norm: layers + 1 tensors (T, D) in float32.

    The library collects them by hooks that are local to the run, so that threads may share the model.
    Raises HeadlightError where the model gives another number of them, or states that are no numbers.
    """
    options = {"use_cache": False, "logits_to_keep": 1}
    taken = {name: value for name, value in options.items() if name in model.accepted}
    answer = model.network(**model.inputs(reading), output_hidden_states=True, **taken)
    states = tuple(_exact(state[0]) for state in answer.hidden_states or ())  # (1, T, D) -> (T, D)
    if len(states) != layers + 1:
        raise HeadlightError(
            f"{model.name} gave {len(states)} states for its {layers} layers, so they cannot be decomposed: choose "
            "another method."
        )
    if not all(bool(state.isfinite().all()) for state in states):
        raise HeadlightError(f"{model.name} gave states that are not numbers, so they cannot be decomposed.")
    return states


def _exact(state: Tensor) -> Tensor:
    """In float32, and where float64 can be summed: an Apple GPU cannot."""
    return (state.cpu() if state.device.type == "mps" else state).float()
