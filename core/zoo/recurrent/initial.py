"""How the weights of recurrent networks start, by module.

Gate by gate: matrices from state to state orthogonal (Saxe et al. 2014), those from input to state and all other
linear maps Xavier uniform (Glorot & Bengio 2010). Biases are zero but for an LSTM's forget gates. Embeddings are
normal with standard deviation 1; those that are also the output's weights with one over the root of their width, so
that the first logits are of size 1 and the first loss is near the logarithm of the vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.zoo.recurrent.cells import Cell, LstmCell


@torch.no_grad()
def initialise(module: nn.Module, forget_bias: float, tied: bool = False) -> None:
    """Start one module's own weights, except those that came out of a checkpoint.

    tied: whether embeddings are the output's weights, too
    """
    if isinstance(module, (Cell, nn.RNNBase)):
        has_forget_gate = isinstance(module, (LstmCell, nn.LSTM))
        for name, weight in module.named_parameters(recurse=False):
            _start(name, weight, module.weight_hh.shape[1] if isinstance(module, Cell) else module.hidden_size)
            if has_forget_gate and name.startswith("bias_ih") and not is_loaded(weight):
                weight[weight.shape[0] // 4 : weight.shape[0] // 2] = forget_bias
    elif isinstance(module, (nn.Linear, nn.Conv1d)):
        if not is_loaded(module.weight):
            nn.init.xavier_uniform_(module.weight)
        if module.bias is not None and not is_loaded(module.bias):
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding) and not is_loaded(module.weight):
        nn.init.normal_(module.weight, std=module.embedding_dim**-0.5 if tied else 1.0)


def _start(name: str, weight: Tensor, width: int) -> None:
    if is_loaded(weight):
        return
    if name.startswith("bias"):
        nn.init.zeros_(weight)
        return
    start = nn.init.orthogonal_ if name.startswith("weight_hh") else nn.init.xavier_uniform_
    for gate in weight.split(width):  # (G · H, I) -> G of (H, I)
        start(gate)


def is_loaded(weight: Tensor) -> bool:
    """transformers marks what it has read from a file."""
    return bool(getattr(weight, "_is_hf_initialized", False))
