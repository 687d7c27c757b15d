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
from core.errors import HeadlightError
from core.models.model import Model
from core.saliency.gradient import gradient_x_attention
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.reading import reading_of
from core.saliency.runner import Runner

POSITIVE = "positive parts only: words that speak against the target have no say."
# Two ways to the same number differ by rounding.
SAME = 1e-3


def run(question: Question, runner: Runner) -> Raw:
    """Gradients of all layers come from one backward pass."""
    if question.word_rows:
        return Raw(_of_word(question, runner), note=POSITIVE)
    rows = reading_of(question).rows
    leaf = question.embeddings().requires_grad_()
    with record_gradients(question.model.network) as recording, torch.enable_grad():
        value = runner.forward(leaf).sum()
    runner.grad(value, leaf)
    start = torch.zeros(len(question.tokens), dtype=torch.float64)
    start[list(rows)] = 1 / len(rows)
    values = carried(start, maps(recording)) - start
    return Raw(values, note=POSITIVE)


def _of_word(question: Question, runner: Runner) -> Tensor:
    """Of an encoder-decoder: R_ss of the decoder, R_qq of the encoder, R_sq from one to the other (S,).

    In a decoder layer: R_ss ← R_ss + Ā R_ss and R_sq ← R_sq + Ā R_sq, then with its cross-attention
    R_sq ← R_sq + R̂_ssᵀ Ā R̂_qq, where R̂ is R without the identity, its rows summing to one, and the identity again.
    """
    leaf = question.embeddings().requires_grad_()
    with record_gradients(question.model.network) as recording, torch.enable_grad():
        value = question.score_both(leaf).sum()
    runner.grad(value, leaf)
    runner.forwards, runner.backwards = runner.forwards + 1, runner.backwards + 1
    if abs(float(value.detach()) - question.value) > SAME * max(1.0, abs(question.value)):
        raise HeadlightError(
            f"{question.model.name} answers the embeddings of its answer otherwise than its words: choose another."
        )
    encoder = list(maps(recording, "encoder"))
    decoder, cross = list(maps(recording, "decoder"))[::-1], list(maps(recording, "cross"))[::-1]
    rows = list(question.word_rows)
    itself, source = torch.eye(len(decoder[0]), dtype=torch.float64), torch.zeros_like(cross[0])
    for own, over_source in zip(decoder, cross, strict=True):
        itself, source = itself + own @ itself, source + own @ source  # (T, T) @ (T, T), (T, T) @ (T, S)
        # R̂_qq is the same for all layers, so it comes in at the end.
        source = source + _normalised(itself).T @ over_source  # (T, T) @ (T, S) -> (T, S)
    return _through_normalised(source[rows].mean(dim=0), encoder)


def _normalised(relevance: Tensor) -> Tensor:
    """R̂ (T, T)."""
    identity = torch.eye(len(relevance), dtype=relevance.dtype)
    rest = relevance - identity
    return rest / rest.sum(dim=-1, keepdim=True).clamp_min(1e-12) + identity


def _through_normalised(row: Tensor, encoder: list[Tensor]) -> Tensor:
    """row (S,) times R̂_qq, without building it; encoder: Ā of its layers, the last first."""
    if not encoder:
        return row
    sums = torch.ones(len(row), dtype=torch.float64)
    for attention in reversed(encoder):
        sums = sums + attention @ sums  # (S, S) @ (S,): rows of R
    scaled = row / (sums - 1).clamp_min(1e-12)
    return carried(scaled, encoder) - scaled + row


def maps(recording: GradientRecording, stream: str = "self") -> Iterator[Tensor]:
    """Ā of each layer of a stream (T, S), float64, the last first."""
    places = [place for place, call in enumerate(recording.calls) if call.stream == stream]
    for place in reversed(places):
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
    if model.card.streams not in (("self",), ("encoder", "decoder", "cross")):
        return f"{model.name} is no Transformer: choose gradient × attention."
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
