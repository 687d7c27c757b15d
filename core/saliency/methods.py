"""All saliency methods, in the order of the menu. A method is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.saliency.gradient import gradient_norm, gradient_shap, input_x_gradient, integrated_gradients, smoothgrad
from core.saliency.method import Method

_IN_ORDER = (
    gradient_norm.METHOD,
    input_x_gradient.METHOD,
    integrated_gradients.METHOD,
    smoothgrad.METHOD,
    gradient_shap.METHOD,
)

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _IN_ORDER})
