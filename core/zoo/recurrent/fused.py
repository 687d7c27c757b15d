"""torch's RNN modules, made differentiable in eval mode on CUDA.

cuDNN keeps what its backward needs only if torch says that the module is training. Nothing else depends on that here,
because the modules have no dropout of their own, so they always say so. Switching cuDNN off instead would hold for
the whole process, and threads of other sessions would switch it on and off in between.
"""

from __future__ import annotations

from typing import Self

from torch import nn


class _AlwaysTraining(nn.RNNBase):
    def train(self, mode: bool = True) -> Self:
        return super().train(True)


class FusedTanh(_AlwaysTraining, nn.RNN):
    """nn.RNN without dropout."""


class FusedLstm(_AlwaysTraining, nn.LSTM):
    """nn.LSTM without dropout."""


class FusedGru(_AlwaysTraining, nn.GRU):
    """nn.GRU without dropout."""


FUSED: dict[str, type[FusedTanh | FusedLstm | FusedGru]] = {"tanh": FusedTanh, "lstm": FusedLstm, "gru": FusedGru}
