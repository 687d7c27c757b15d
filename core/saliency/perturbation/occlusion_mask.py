"""Occlusion by replacement with the token that a masked language model learnt to fill in."""

from __future__ import annotations

from functools import partial

from core.saliency.method import Method
from core.saliency.perturbation.leaving_out import lacks_token, leave_out, passes
from core.saliency.perturbation.versions import MASK

METHOD = Method(
    name="occlusion_mask",
    title="Occlusion by [MASK]",
    about="How much the answer falls when a word is replaced by the mask token.",
    family="perturbation",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="native",
    formula=r"s_i = F(x) - F(x_{i \to [\text{MASK}]})",
    cost=passes,
    run=partial(leave_out, way=MASK),
    refuse=partial(lacks_token, way=MASK),
    uses=frozenset({"scalar"}),
)
