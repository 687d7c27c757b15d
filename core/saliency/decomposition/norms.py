"""Norms of what an attention block adds up, residual and LayerNorm included.

Sources: Kobayashi and others 2020, "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms"; 2021,
"Incorporating Residual and Normalization Layers into Analysis of Masked Language Models".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.saliency.decomposition.refusing import refuse
from core.saliency.method import Method, Passes, Raw

if TYPE_CHECKING:
    from core.saliency.question import Question
    from core.saliency.runner import Runner


def cost(question: Question) -> Passes:
    """One pass that keeps the states between the layers."""
    return Passes(1)


def run(question: Question, runner: Runner) -> Raw:
    """‖T_i(x_j)‖ in the last layer for the row that `attention` reads too, or their mean over its rows: (T,)."""
    from core.saliency.decomposition.attention_blocks import Blocks
    from core.saliency.decomposition.vectors import vector_norms
    from core.saliency.reading import reading_of

    blocks = Blocks(question)
    runner.forwards += 1
    reading = reading_of(question)
    norms = blocks.measured(reading.layer, vector_norms, reading.rows)  # (R, T)
    return Raw(norms.double().mean(dim=0), note=f"Last layer, {reading.words}.")


METHOD = Method(
    name="norms",
    title="Attention norms",
    about="The length of the vector that each word adds to the last attention block, residual and LayerNorm included.",
    family="attention",
    tier=2,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"\left\| \mathrm{LN}_i\Big(\sum_h A^h_{ij} f^h(x_j) + \mathbb{1}[i=j]\, x_i\Big) \right\|_2",
    refuse=refuse,
    cost=cost,
    run=run,
)
