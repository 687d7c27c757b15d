"""Relevance by attention and its gradient through all layers (Chefer and others 2021, the generic rules).

Ā = mean over heads of the positive part of A · dF/dA, and R ← R + Ā R from the first layer to the last. Only the rows
that the answer is read from are wanted, so they are carried from the last layer to the first: no product of two maps is
kept. What a row has of itself from the start is left out of its scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from core.capture import record_gradients
from core.capture.gradients import GradientRecording
from core.models.model import Model
from core.saliency.gradient import gradient_x_attention
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of
from core.saliency.runner import Runner


def run(question: Question, runner: Runner) -> Raw:
    """Encoders and decoders; gradients of all layers come from one backward pass."""
    rows = reading_of(question).rows
    leaf = question.embeddings().requires_grad_()
    with record_gradients(question.model.network) as recording, torch.enable_grad():
        value = runner.forward(leaf).sum()
    runner.grad(value, leaf)
    start = torch.zeros(len(question.tokens), dtype=torch.float64)
    start[list(rows)] = 1 / len(rows)
    values = carried(start, maps(recording)) - start
    return Raw(values, note="positive parts only: words that speak against the target have no say.")


def maps(recording: GradientRecording) -> Iterator[Tensor]:
    """Ā of each layer (T, T), float64, the last first."""
    for place in reversed(range(len(recording.calls))):
        # The positive part head by head, as the authors' code has it, and then the mean.
        yield recording.product(place).clamp_min(0).mean(dim=0).double().cpu()  # (H, T, T) -> (T, T)


def carried(start: Tensor, layers: Iterable[Tensor]) -> Tensor:
    """start (T,) through R = (I + Ā^L) … (I + Ā^1): (T,)."""
    row = start
    for attention in layers:
        row = row + row @ attention  # (T,) @ (T, T) -> (T,)
    return row


def refuse(model: Model) -> str:
    """Why the rules do not apply; "" where they do."""
    if sentence := gradient_x_attention.refuse(model):
        return sentence
    if model.card.streams != ("self",):
        return f"{model.name} is no encoder or decoder of self-attention alone: choose gradient × attention."
    return ""


METHOD = Method(
    name="chefer",
    title="Chefer's relevance",
    about="Attention times its gradient, positive parts only, carried through all layers.",
    family="gradient",
    tier=2,
    signed=False,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"\bar A^\ell = \tfrac1H \textstyle\sum_h "
    r"\bigl(A^{\ell,h} \odot \tfrac{\partial F}{\partial A^{\ell,h}}\bigr)^+,\quad R \leftarrow R + \bar A^\ell R",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=refuse,
    uses=frozenset({"scalar"}),
)
