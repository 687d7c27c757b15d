"""All saliency methods, in the order of the menu. A method is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.saliency.attention import attention, flow, received, rollout, value_zeroing, without_first
from core.saliency.decomposition import alti, decompx, hidden_contribution, norms
from core.saliency.gradient import (
    attnlrp,
    chefer,
    gradient_norm,
    gradient_shap,
    gradient_x_attention,
    input_x_gradient,
    integrated_gradients,
    smoothgrad,
)
from core.saliency.method import Method
from core.saliency.perturbation import deletion, occlusion_attention, occlusion_mask, occlusion_unknown, shapley

_IN_ORDER = (
    attention.METHOD,
    received.RECEIVED,
    received.LARGEST,
    without_first.METHOD,
    rollout.METHOD,
    flow.METHOD,
    value_zeroing.METHOD,
    alti.METHOD,
    norms.METHOD,
    decompx.METHOD,
    hidden_contribution.METHOD,
    gradient_norm.METHOD,
    input_x_gradient.METHOD,
    integrated_gradients.METHOD,
    smoothgrad.METHOD,
    gradient_shap.METHOD,
    gradient_x_attention.METHOD,
    chefer.METHOD,
    attnlrp.METHOD,
    occlusion_mask.METHOD,
    occlusion_unknown.METHOD,
    occlusion_attention.METHOD,
    deletion.METHOD,
    shapley.METHOD,
)

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _IN_ORDER})
