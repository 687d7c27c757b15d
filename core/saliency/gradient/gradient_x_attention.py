"""Attention times its gradient: α · dF/dα, what F would lose to first order without a weight (Serrano and Smith 2019).

Of a Transformer it is read in the last layer that the text is attended in, as the mean over heads.
"""

from __future__ import annotations

from core.models.model import Model
from core.saliency.blindness import without_gradient
from core.saliency.gradient.walking import by_key, walked_back
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import without_attention
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """Summed over the queries: those that F does not depend on have a gradient of zero."""
    recording = walked_back(question, runner)
    over_text = [place for place, call in enumerate(recording.calls) if call.stream in ("self", "pooling", "cross")]
    last = over_text[-1]
    values = by_key(recording, last)
    call = recording.calls[last]
    where = f"layer {call.layer}, mean over {call.heads} heads" if call.heads > 1 else "its one attention"
    return Raw(values, note=f"{where}, summed over queries.")


def refuse(model: Model) -> str:
    """Why there is no gradient to the weights; "" where there is."""
    if sentence := without_attention(model) or without_gradient(model):
        return sentence
    if getattr(model.network.config, "attention", "") in ("guided", "uniform"):
        return f"{model.name} does not work its weights out itself, so they have no gradient: choose occlusion."
    return ""


METHOD = Method(
    name="gradient_x_attention",
    title="Gradient × attention",
    about="What the answer would lose, to first order, without the attention weight of a word.",
    family="gradient",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"s_j = \tfrac1H \sum_h \sum_i A^h_{ij} \, \partial F / \partial A^h_{ij}",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=refuse,
    uses=frozenset({"scalar"}),
)
