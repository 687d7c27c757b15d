"""ALTI: how near each token's vector comes to the output of each attention block, followed through all layers.

Source: Ferrando and others 2022, "Measuring the Mixing of Contextual Information in the Transformer". Their code takes
LayerNorm's standard deviation over n - 1; LayerNorm itself, and this, over n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.saliency.decomposition.refusing import refuse
from core.saliency.method import Method, Passes, Raw

if TYPE_CHECKING:
    from torch import Tensor

    from core.saliency.decomposition.attention_blocks import Blocks
    from core.saliency.question import Question
    from core.saliency.runner import Runner


def cost(question: Question) -> Passes:
    """One pass that keeps the states between the layers; the vectors of a layer cost about as much as its values."""
    return Passes(2)


def run(question: Question, runner: Runner) -> Raw:
    """The row that `attention` reads too, or the mean over its rows, of the layers' contributions multiplied: (T,)."""
    from core.saliency.decomposition.attention_blocks import Blocks
    from core.saliency.reading import reading_of

    blocks = Blocks(question)
    runner.forwards += 1
    reading = reading_of(question)
    mixed = _rolled_out(blocks, runner, list(reading.rows))  # (R, T)
    off = float((mixed.sum(dim=-1) - 1).abs().max())
    return Raw(mixed.mean(dim=0), checks=(f"rows sum to 1 to {off:.1e}",), note=f"All layers, {reading.words}.")


def _rolled_out(blocks: Blocks, runner: Runner, rows: list[int]) -> Tensor:
    """Rows of C_L … C_2 C_1, from the last layer down: (R, T). The residual is inside, so no identity is added."""
    from core.saliency.decomposition.vectors import contributions

    last = len(blocks) - 1
    mixed = blocks.measured(last, contributions, rows)  # (R, T)
    for layer in reversed(range(last)):
        runner.advance(last - layer, last + 1)
        mixed = mixed @ blocks.measured(layer, contributions)  # (R, T) @ (T, T) -> (R, T)
    return mixed


METHOD = Method(
    name="alti",
    title="ALTI",
    about="How near each word's vector comes to what every attention block gives, followed through all layers.",
    family="attention",
    tier=2,
    signed=False,
    class_specific=False,
    additive=False,
    merge="sum",
    formula=r"C^l_{ij} \propto \max\big(0, \|y_i\|_1 - \|y_i - T_i(x_j)\|_1\big),\quad C^L \cdots C^1",
    refuse=refuse,
    cost=cost,
    run=run,
)
