"""Occlusion by replacement with the unknown token; whether the model met it in training (word dropout) is noted."""

from __future__ import annotations

from functools import partial

from core.saliency.method import Method
from core.saliency.perturbation.leaving_out import lacks_token, leave_out, passes
from core.saliency.perturbation.versions import UNKNOWN

METHOD = Method(
    name="occlusion_unknown",
    title="Occlusion by UNK",
    about="How much the answer falls when a word is replaced by the unknown token.",
    family="perturbation",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="native",
    formula=r"s_i = F(x) - F(x_{i \to \text{UNK}})",
    cost=passes,
    run=partial(leave_out, way=UNKNOWN),
    refuse=partial(lacks_token, way=UNKNOWN),
    uses=frozenset({"scalar"}),
)
