"""Greedy writing: at each step the likeliest token, for a whole batch at once."""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import PreTrainedModel


@torch.no_grad()
def greedy(network: PreTrainedModel, input_ids: Tensor, attention_mask: Tensor, most: int) -> Tensor:
    """What a sequence-to-sequence network writes, read again from the start at every step.

    input_ids, attention_mask: (B, S). most: tokens that are written at the most. Returns (B, T) ids with T <= most,
    without the start token, and the padding id behind each </s>. The network is left in evaluation mode.
    """
    network.eval()
    config = network.config
    encoder_outputs = network.get_encoder()(input_ids=input_ids, attention_mask=attention_mask)
    rows = input_ids.shape[0]
    written = input_ids.new_full((rows, 1), config.decoder_start_token_id)
    ended = torch.zeros(rows, dtype=torch.bool, device=input_ids.device)
    for _ in range(most):
        logits = network(
            encoder_outputs=encoder_outputs, attention_mask=attention_mask, decoder_input_ids=written
        ).logits[:, -1]  # (B, T, V) -> (B, V)
        chosen = logits.argmax(-1).masked_fill(ended, config.pad_token_id)  # (B, V) -> (B,)
        written = torch.cat([written, chosen[:, None]], dim=1)  # (B, T) -> (B, T + 1)
        ended |= chosen == config.eos_token_id
        if bool(ended.all()):
            break
    return written[:, 1:]
