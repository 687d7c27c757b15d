"""α · w · h: the answer of an attention-pooling classifier, taken apart exactly into its states.

logit_c = Σ_i α_i (w_c · h_i) + b_c. Each part belongs to a state, which in an LSTM has read the whole text: it explains
states, not the words at their places.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.capture import SOFTMAX
from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner
from core.saliency.scalars import LOGITS, MARGIN
from core.zoo.pooling import PoolingForSequenceClassification


@torch.no_grad()
def run(question: Question, runner: Runner) -> Raw:
    """The logit, or the margin, of the target. Raises HeadlightError for another scalar, which is no sum of states."""
    if question.scalar not in LOGITS:
        raise HeadlightError("The contributions of states sum to logits: choose the margin or the logit.")
    network: Any = question.model.network
    ids, mask = question.input_ids(), question.attention_mask()
    states = network.encoder(network.embedding(ids), mask.bool())[0].double()  # (1, T, D) -> (T, D)
    weights = question.trace.attention(0, None, "pooling")[0, 0].double().to(states.device)  # (1, 1, S) -> (S,)
    direction, bias = _direction(network, question)
    values = weights * (states @ direction)  # (T,) * (T, D) @ (D,)
    total = float(values.sum()) + bias
    delta = abs(total - question.value) / max(1.0, abs(question.value))
    inside = float(values[list(question.scored)].sum())
    return Raw(
        values,
        delta=delta,
        rest=total - inside,
        checks=(f"sum = F within {delta:.1g}",),
        note="Parts belong to states, not to words.",
    )


def _direction(network: Any, question: Question) -> tuple[Tensor, float]:
    """What a state is multiplied with, (D,), and the bias."""
    weight, bias = network.classifier.weight.double(), network.classifier.bias.double()
    index, foil = question.target.index, question.target.foil
    if foil is not None:
        return weight[index] - weight[foil.index], float(bias[index] - bias[foil.index])
    if question.scalar != MARGIN or question.function != SOFTMAX:
        return weight[index], float(bias[index])
    others = [other for other in range(len(weight)) if other != index]
    return weight[index] - weight[others].mean(dim=0), float(bias[index] - bias[others].mean())


def _refuse(model: Model) -> str:
    if isinstance(model.network, PoolingForSequenceClassification):
        return ""
    return f"{model.name} does not sum up states by one attention: choose another method."


METHOD = Method(
    name="hidden_contribution",
    title="Contribution of states",
    about="What each state adds to the logit, exactly: its weight times what the classifier makes of it.",
    family="decomposition",
    tier=1,
    signed=True,
    class_specific=True,
    additive=True,
    merge="sum",
    formula=r"\text{logit}_c = b_c + \sum_i \alpha_i\, w_c \cdot h_i",
    cost=lambda question: Passes(1),
    run=run,
    refuse=_refuse,
    uses=frozenset({"scalar"}),
)
