"""Whether a model can be asked by embeddings in the place of words, which every gradient is with respect to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from core.models.model import Model
from core.saliency.question import Question

# Two ways to the same number differ by rounding, which many layers amplify.
SAME = 1e-3
SAME_IN_HALF = 0.05


def without_embeddings(model: Model) -> str:
    """Why a model has no gradient to its words, whatever the text; "" where it takes embeddings in their place."""
    if "inputs_embeds" in model.accepted:
        return ""
    return f"{model.name} takes words only, no embeddings, so it has no gradient: choose attention or occlusion."


def without_gradient(model: Model) -> str:
    """Why no gradient to its words can be had of a model, or only a wrong one; "" where one can.

    A layer that passes none back, as quantised ones do, cuts its part out of the gradient; what goes round it, along
    the residual, would still give numbers.
    """
    if sentence := without_embeddings(model):
        return sentence
    if all(passes_back(layer, model) for layer in _linear_layers(model)):
        return ""
    return f"Layers of {model.name} pass no gradient back, as quantised ones do: choose attention or occlusion."


def passes_back(layer: Callable[[Tensor], Tensor], model: Model) -> bool:
    """Whether a layer's output depends on its input as far as autograd knows. layer: it has `in_features`."""
    width: int = getattr(layer, "in_features", 0)
    probe = torch.zeros(1, width, dtype=model.dtype, device=model.device, requires_grad=True)
    with torch.enable_grad():
        found = layer(probe)  # (1, in) -> (1, out)
        if not found.requires_grad:
            return False
        (gradient,) = torch.autograd.grad(found.sum(), probe, allow_unused=True)
    return gradient is not None


def _linear_layers(model: Model) -> list[Any]:
    """One linear layer of each kind that the network has, whoever wrote it."""
    layers = [layer for layer in model.network.modules() if isinstance(getattr(layer, "in_features", None), int)]
    return list({type(layer): layer for layer in layers}.values())


@torch.no_grad()
def blind(question: Question) -> str:
    """Why this question cannot be asked by embeddings; "" where they give the same F as the words."""
    name = question.model.name
    if sentence := without_embeddings(question.model):
        return sentence
    try:
        found = float(question.score(question.embeddings())[0])
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        return f"{name} cannot be run on embeddings ({type(error).__name__}): choose attention or occlusion."
    allowed = SAME if question.model.dtype in (torch.float32, torch.float64) else SAME_IN_HALF
    if abs(found - question.value) <= allowed * max(1.0, abs(question.value)):
        return ""
    return (
        f"{name} answers its embeddings otherwise than its words, so gradients mislead: choose attention or occlusion."
    )
