"""The model's own attention weights, read in the row that its answer comes from: not of any output in particular."""

from __future__ import annotations

from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of, row_scores, without_attention
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """The row that is read, mean over heads."""
    reading = reading_of(question)
    layers = question.trace.layers(reading.stream)
    weights = row_scores(question, reading.layer).mean(dim=0)  # (H, S) -> (S,)
    where = "" if layers == 1 else f"layer {reading.layer} of 0 to {layers - 1}, mean over heads; "
    return Raw(weights, note=f"{where}{reading.words}.")


METHOD = Method(
    name="attention",
    title="Attention weight",
    about="How much of each word goes into what the answer is read from, whichever answer is asked about.",
    family="attention",
    tier=1,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"s_j = \tfrac1H \sum_h A^{h}_{r j}",
    cost=lambda question: Passes(1),
    run=run,
    refuse=without_attention,
)
