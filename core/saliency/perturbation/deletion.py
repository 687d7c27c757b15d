"""Leave-one-out by deletion: the word's tokens are taken out of the ids, and what follows moves up.

The text is never written out and tokenised again, which would change its pieces.
"""

from __future__ import annotations

from functools import partial

from core.models.answers import answer_kind
from core.models.model import Model
from core.saliency.method import Method
from core.saliency.perturbation.leaving_out import leave_out, passes
from core.saliency.perturbation.versions import DELETE


def _refuse(model: Model) -> str:
    if answer_kind(model.network).of_one_token:
        return f"{model.name} is asked about one token, which deletion would move: choose occlusion."
    return ""


METHOD = Method(
    name="deletion",
    title="Leave one out",
    about="How much the answer falls when a word is taken out and the rest closes up.",
    family="perturbation",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="native",
    formula=r"s_i = F(x) - F(x \setminus i)",
    cost=passes,
    run=partial(leave_out, way=DELETE),
    refuse=_refuse,
    uses=frozenset({"scalar"}),
)
