"""Torch modules as the maps of `stack`; what cannot be read as floating-point numbers is refused."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

from core.errors import HeadlightError
from core.models.answers import LABEL, answer_kind
from core.saliency.decomposition.stack import Linear, Norm


def linear_of(module: nn.Module) -> Linear:
    """A linear layer, or GPT-2's Conv1D, which keeps its weight as (in, out). Raises HeadlightError for others."""
    weight = _readable(getattr(module, "weight", None))
    if isinstance(module, Conv1D):
        return Linear(weight, _given(module, "bias"))
    if not isinstance(module, nn.Linear):
        raise HeadlightError(
            f"This model has a {type(module).__name__} where a linear layer was expected, so its states cannot be "
            "decomposed: choose another method."
        )
    return Linear(weight.T, _given(module, "bias"))  # (out, in) -> (in, out)


def columns_of(linear: Linear, start: int, stop: int) -> Linear:
    """Some outputs of a map, such as the values of a layer that computes queries, keys and values at once."""
    bias = None if linear.bias is None else linear.bias[start:stop]
    return Linear(linear.weight[:, start:stop], bias)  # (in, out) -> (in, stop - start)


def norm_of(module: Any) -> Norm:
    """A LayerNorm. Raises HeadlightError for other norms."""
    if not isinstance(module, nn.LayerNorm):
        raise HeadlightError(
            f"This model has a {type(module).__name__} where a LayerNorm was expected, so its states cannot be "
            "decomposed: choose another method."
        )
    return Norm(_given(module, "weight"), _given(module, "bias"), float(module.eps))


def text_classifier(network: Any) -> Any:
    """The head that labels a whole text; None where the network has none, or a head of another kind."""
    return getattr(network, "classifier", None) if answer_kind(network).name == LABEL else None


def _given(module: nn.Module, name: str) -> Tensor | None:
    """A parameter, or None where the module does without."""
    parameter = getattr(module, name)
    return None if parameter is None else _readable(parameter)


def _readable(tensor: Tensor | None) -> Tensor:
    if tensor is None or not tensor.is_floating_point() or tensor.is_meta:
        raise HeadlightError(
            "The weights of this model are quantised or not in memory, so its states cannot be decomposed: open it in "
            "float32 or bfloat16."
        )
    return tensor.detach()
