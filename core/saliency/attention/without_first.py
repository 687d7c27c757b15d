"""A decoder's last row without the first token, which gathers what no word needs (an attention sink)."""

from __future__ import annotations

from core.models.model import Model
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of, row_scores, without_attention
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """The row that is read, its first weight taken out and the others brought to a sum of one."""
    reading = reading_of(question)
    weights = row_scores(question, reading.layer).mean(dim=0)  # (H, S) -> (S,)
    taken = float(weights[0])
    weights[0] = 0
    words = f"layer {reading.layer}, mean over heads; {reading.words}; the first token had {taken:.0%}."
    return Raw(weights / weights.sum().clamp_min(1e-12), note=words)


def _refuse(model: Model) -> str:
    if sentence := without_attention(model):
        return sentence
    if model.card.answers or not model.card.writes:
        return f"{model.name} is no decoder, whose first token gathers weight: choose attention weight."
    return ""


METHOD = Method(
    name="attention_without_first",
    title="Attention without the first token",
    about="The last row of a decoder without its first token, where weight goes that no word needs.",
    family="attention",
    tier=1,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s_j = \frac{A_{n j}}{\sum_{k > 0} A_{n k}},\ s_0 = 0",
    cost=lambda question: Passes(1),
    run=run,
    refuse=_refuse,
)
