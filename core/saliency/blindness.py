"""Whether a model can be asked by embeddings in the place of words, which every gradient is with respect to."""

from __future__ import annotations

import torch

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
