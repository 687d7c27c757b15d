"""Mixed precision: forward passes in 16 bits, weights and sums in 32."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.training import options

# Where autocast knows the format; float16 on a CPU would be slower than float32.
DEVICES = {"bfloat16": ("cpu", "cuda"), "float16": ("cuda",)}
# With a scale below 1 the gradients overflow float16 by themselves: halving it further would never end.
SMALLEST_SCALE = 1.0


class Precision:
    """The number format of a run (Micikevicius et al. 2018).

    bfloat16 has float32's range. float16 has not: its loss is multiplied by a scale before the backward pass, and a
    step whose gradients overflow is left out and halves the scale.

    A processor that multiplies in bfloat16 (AVX512-BF16, AMX) trains twice as fast in it; others are slower for it.
    Raises `HeadlightError` for float16 anywhere but on a GPU, and for bfloat16 on other devices than CPU and GPU.
    """

    def __init__(self, name: options.Precision, device: torch.device) -> None:
        if name != "float32" and device.type not in DEVICES[name]:
            raise HeadlightError(
                f"Training in {name} does not run on the {device.type.upper()}; choose "
                f"{'bfloat16 or ' if device.type in DEVICES['bfloat16'] else ''}float32."
            )
        self._device = device
        self._dtype = None if name == "float32" else getattr(torch, name)
        self._scaler = torch.amp.GradScaler("cuda") if name == "float16" else None

    def forward(self) -> AbstractContextManager[Any]:
        """Inside the block, operations that bear it run in 16 bits."""
        return torch.autocast(self._device.type, dtype=self._dtype, enabled=self._dtype is not None)

    def backward(self, loss: Tensor) -> None:
        """Add the loss's gradients to the weights', scaled where the format needs it."""
        scaled: Tensor = loss if self._scaler is None else self._scaler.scale(loss)
        scaled.backward()

    def unscale(self, optimizer: torch.optim.Optimizer) -> None:
        """Bring the gradients back to their true size, once all are added up."""
        if self._scaler is not None:
            self._scaler.unscale_(optimizer)

    def step(self, optimizer: torch.optim.Optimizer) -> None:
        """Change the weights, or leave the step out where float16 overflowed."""
        if self._scaler is None:
            optimizer.step()
        else:
            self._scaler.step(optimizer)
            self._scaler.update()

    @property
    def may_overflow(self) -> bool:
        """Whether a gradient that is not finite only means that the scale is still too large."""
        return self._scaler is not None and self._scaler.get_scale() >= SMALLEST_SCALE

    def state(self) -> dict[str, Any]:
        return {} if self._scaler is None else self._scaler.state_dict()

    def restore(self, state: dict[str, Any]) -> None:
        if self._scaler is not None:
            self._scaler.load_state_dict(state)
