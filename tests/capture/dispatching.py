"""Tiny networks whose classes call the attention interface, each on the path that serves it."""

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.capture import row_blocks
from tests.tiny import ONE_STACK, TWO_STACKS, batch, tiny_network, two_stack_inputs

# Soft-capped scores and sinks: these run in row blocks.
ROW_BLOCKS: dict[str, dict[str, Any]] = {
    "gemma2": dict(ONE_STACK["mistral"], attn_logit_softcapping=1.5, query_pre_attn_scalar=8),
    "gpt_oss": dict(ONE_STACK["mistral"], num_local_experts=4, num_experts_per_tok=2),
}
DISPATCHING = [*ONE_STACK, *ROW_BLOCKS, *TWO_STACKS]


def inputs_of(kind: str, padding: str) -> dict[str, Tensor]:
    return two_stack_inputs(padding) | {"use_cache": False} if kind in TWO_STACKS else batch(padding)


def network_that_dispatches(kind: str) -> PreTrainedModel:
    if kind not in ROW_BLOCKS:
        return tiny_network(kind, "sdpa")
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)  # the biases of gpt-oss's router are random from the start
        network = tiny_network(kind, row_blocks.NAME, **ROW_BLOCKS[kind])
        for name, parameter in network.named_parameters():
            if name.endswith("sinks"):
                parameter.copy_(torch.linspace(-1, 2, 4))  # large, and the same each time
    return network
