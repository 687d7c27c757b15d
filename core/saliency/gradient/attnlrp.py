"""AttnLRP (Achtibat and others 2024) for our own Transformer: input × gradient under five local rules.

LayerNorm: its standard deviation counts as a constant. Of a product of two matrices that both depend on the text, each
gets half of what comes back. Softmax and linear layers keep their gradients; so does ReLU, whose slope act(z)/z is its
gradient. torch's functions are replaced in this thread only while the text runs, so that nobody else sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from core.models.model import Model
from core.saliency.blindness import without_gradient
from core.saliency.method import Method, Passes, Raw
from core.saliency.question import Question
from core.saliency.runner import Runner


class Rules(TorchFunctionMode):
    """The rules, while the block runs. through_scores: False stops relevance at the weights, which is CP-LRP."""

    def __init__(self, through_scores: bool = True) -> None:
        super().__init__()
        self._through_scores = through_scores

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is F.layer_norm:
            return layer_norm(*args, **kwargs)
        if func is F.scaled_dot_product_attention:
            return attention(self._through_scores, *args, **kwargs)
        return func(*args, **kwargs)


def layer_norm(
    states: Tensor, shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """LayerNorm over the last dimension, whose standard deviation is a constant to the gradient."""
    centred = states - states.mean(dim=-1, keepdim=True)
    scaled = centred / (centred.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt().detach()
    scaled = scaled if weight is None else scaled * weight
    return scaled if bias is None else scaled + bias


def attention(
    through_scores: bool,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Attention written out: (B, H, T, D), (B, H, S, D) twice -> (B, H, T, D); each operand of a product gets half."""
    if not through_scores:
        query, key = query.detach(), key.detach()
        # A position bias may be a function of the queries too.
        attn_mask = None if attn_mask is None else attn_mask.detach()
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = halved(query) @ halved(key).transpose(-2, -1) * factor  # (B, H, T, D) @ (B, H, D, S) -> (B, H, T, S)
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~seen, -torch.inf)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = torch.softmax(scores, dim=-1)
    if not through_scores:
        return weights @ value  # (B, H, T, S) @ (B, H, S, D) -> (B, H, T, D)
    return halved(weights) @ halved(value)


def halved(tensor: Tensor) -> Tensor:
    """The same values, of whose gradient half goes back."""
    return tensor / 2 + (tensor / 2).detach()


def relevance(question: Question, runner: Runner, through_scores: bool) -> Tensor:
    """e · dF/de under the rules: (T,) in float64."""
    leaf = question.embeddings().requires_grad_()
    with torch.enable_grad(), Rules(through_scores):
        value = runner.forward(leaf).sum()
    gradient = runner.grad(value, leaf)
    return (leaf.detach() * gradient)[0].double().sum(dim=-1)  # (1, T, D) -> (T,)


def run(question: Question, runner: Runner) -> Raw:
    """AttnLRP, through the scores as well; it does not sum to F, because softmax and biases take their part."""
    return Raw(relevance(question, runner, True))


def _refuse(model: Model) -> str:
    if model.card.family == "headlight_transformer":
        return without_gradient(model)
    return f"The rules are written for Headlight's own Transformer, which {model.name} is not: choose input × gradient."


METHOD = Method(
    name="attnlrp",
    title="AttnLRP",
    about="Input × gradient with rules that keep relevance from leaking in norms and products.",
    family="gradient",
    tier=3,
    signed=True,
    class_specific=True,
    additive=False,
    merge="sum",
    formula=r"s_i = e_i \cdot \widetilde{\partial F / \partial e_i}",
    cost=lambda question: Passes(1, 1),
    run=run,
    refuse=_refuse,
    uses=frozenset({"scalar"}),
)
