"""Attention weights that another network gives: they sum the states of this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from core.errors import HeadlightError

if TYPE_CHECKING:
    from core.zoo.pooling.modeling import PoolingForSequenceClassification


class Guided(nn.Module):
    """Context c = Σ α h with the guide's α, which no training changes: the guide never drops anything out, either.

    `core.capture` sees the guide's softmax and this product because both run in here, and reads the three attributes as
    of `core.zoo.scores.Attention`.
    """

    attention_stream = "pooling"
    attention_sums_to_less = False

    def __init__(self, guide: PoolingForSequenceClassification) -> None:
        super().__init__()
        guide.classifier = nn.Identity()  # its answer is never asked for
        self.guide = guide.requires_grad_(False).eval()  # type: ignore[no-untyped-call]
        remark = guide.attention.score.remark
        self.attention_remark = f"The weights are those of another network, the guide. {remark}".rstrip()

    def follow(self, trained: PoolingForSequenceClassification) -> None:
        """Take over the weights of a trained network, of whose config this guide was made."""
        own = self.guide.state_dict()
        self.guide.load_state_dict({name: value for name, value in trained.state_dict().items() if name in own})

    def forward(self, states: Tensor, input_ids: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, S, H) of texts (B, S) -> context (B, 1, H), weights (B, 1, S).

        Raises HeadlightError without the tokens.
        """
        if input_ids is None:
            raise HeadlightError("A guide reads the tokens themselves: give input_ids beside inputs_embeds.")
        with torch.no_grad():
            weights = self.guide.weights_of(input_ids, mask)
        return torch.bmm(weights, states), weights  # (B, 1, S) @ (B, S, H) -> (B, 1, H)

    def train(self, mode: bool = True) -> Guided:
        """Put this into training mode, and the guide never."""
        super().train(mode)
        self.guide.eval()
        return self
