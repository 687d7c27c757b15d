"""Greedy writing: at each step the likeliest token, for a whole batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

# Called with the newest token of each target (B,), it gives the logits (B, V) of the next one.
Writer = Callable[[Tensor], Tensor]


@torch.no_grad()
def greedy(network: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor, most: int) -> Tensor:
    """What a sequence-to-sequence network writes.

    input_ids, attention_mask: (B, S). most: tokens that are written at the most. Returns (B, T) ids with T <= most,
    without the start token, and the padding id behind each </s>. The network is left in evaluation mode.
    """
    network.eval()
    config = network.config
    encoded = network.get_encoder()(input_ids=input_ids, attention_mask=attention_mask)
    writer = getattr(network, "writer", None)
    write: Writer = writer(encoded, attention_mask) if writer else _reading_again(network, encoded, attention_mask)
    newest = input_ids.new_full(input_ids.shape[:1], config.decoder_start_token_id)  # (B,)
    ended = torch.zeros_like(newest, dtype=torch.bool)
    written = []
    for _ in range(most):
        newest = write(newest).argmax(-1).masked_fill(ended, config.pad_token_id)  # (B, V) -> (B,)
        written.append(newest)
        ended |= newest == config.eos_token_id
        if bool(ended.all()):
            break
    return torch.stack(written, dim=1)


def _reading_again(network: PreTrainedModel, encoded: Any, attention_mask: Tensor) -> Writer:
    """For networks that keep nothing: the whole target so far is read at every step."""
    written: list[Tensor] = []

    def write(newest: Tensor) -> Tensor:
        written.append(newest)
        target = torch.stack(written, dim=1)  # T of (B,) -> (B, T)
        logits = network(encoder_outputs=encoded, attention_mask=attention_mask, decoder_input_ids=target).logits
        return logits[:, -1]  # (B, T, V) -> (B, V)

    return write
