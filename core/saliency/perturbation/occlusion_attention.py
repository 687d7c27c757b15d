"""Occlusion by the attention mask: the word stays where it is, and nothing can attend to it (Hase and others 2021)."""

from __future__ import annotations

from functools import partial
from typing import Any

from core.models.model import Model
from core.saliency.method import Method
from core.saliency.perturbation.leaving_out import leave_out, passes
from core.saliency.perturbation.versions import ATTENTION


def _refuse(model: Model) -> str:
    if "attention_mask" not in model.accepted:
        return f"{model.name} takes no attention mask, so no word can be hidden from it: choose deletion."
    if _reads_in_order(model.network.config):
        return f"{model.name} reads one word after another, so none can be hidden on the way: choose deletion or UNK."
    return ""


def _reads_in_order(config: Any) -> bool:
    """Whether the network is recurrent, or is guided by one that is."""
    guide = getattr(config, "guide", None) or {}
    return config.model_type == "headlight_recurrent" or "bilstm" in (
        getattr(config, "encoder", ""),
        guide.get("encoder"),
    )


METHOD = Method(
    name="occlusion_attention",
    title="Occlusion by attention mask",
    about="How much the answer falls when nothing can attend to a word, while no other word moves.",
    family="perturbation",
    tier=1,
    signed=True,
    class_specific=True,
    additive=False,
    merge="native",
    formula=r"s_i = F(x) - F(x \mid m_i = 0)",
    cost=passes,
    run=partial(leave_out, way=ATTENTION),
    refuse=_refuse,
    uses=frozenset({"scalar"}),
)
