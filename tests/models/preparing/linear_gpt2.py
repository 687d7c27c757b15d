"""GPT-2 as nanoGPT and minGPT build it, out of nn.Linear, with its attention weights given back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.tiny import sharpen


@dataclass(frozen=True)
class Sizes:
    """As both programs call them. block_size: the longest text."""

    vocab_size: int = 450
    n_embd: int = 32
    n_layer: int = 3
    n_head: int = 4
    block_size: int = 48


class Norm(nn.Module):
    """A layer norm that may lack its bias."""

    def __init__(self, width: int, bias: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, states: Tensor) -> Tensor:
        return F.layer_norm(states, self.weight.shape, self.weight, self.bias, 1e-5)


class Attention(nn.Module):
    """Causal, with the weights of the last call in `weights`."""

    def __init__(self, sizes: Sizes, bias: bool, masks: bool) -> None:
        super().__init__()
        self.n_head = sizes.n_head
        self.c_attn = nn.Linear(sizes.n_embd, 3 * sizes.n_embd, bias=bias)
        self.c_proj = nn.Linear(sizes.n_embd, sizes.n_embd, bias=bias)
        if masks:
            self.register_buffer("bias", torch.ones(sizes.block_size, sizes.block_size).tril()[None, None])

    def forward(self, states: Tensor) -> Tensor:
        joint = self.c_attn(states).unflatten(-1, (3, self.n_head, -1))  # (B, T, 3 W) -> (B, T, 3, H, D)
        query, key, value = joint.permute(2, 0, 3, 1, 4)  # each (B, H, T, D)
        scores = query @ key.mT / key.shape[-1] ** 0.5  # (B, H, T, D) @ (B, H, D, T) -> (B, H, T, T)
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        self.weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        mixed = (self.weights @ value).transpose(1, 2).flatten(2)  # (B, H, T, D) -> (B, T, W)
        return self.c_proj(mixed)


class Block(nn.Module):
    """A layer. activation: of its feed-forward part."""

    def __init__(self, sizes: Sizes, bias: bool, masks: bool, activation: nn.Module) -> None:
        super().__init__()
        width = sizes.n_embd
        self.ln_1, self.attn, self.ln_2 = Norm(width, bias), Attention(sizes, bias, masks), Norm(width, bias)
        parts = {"c_fc": nn.Linear(width, 4 * width, bias=bias), "c_proj": nn.Linear(4 * width, width, bias=bias)}
        self.mlp = nn.ModuleDict({**parts, "act": activation})

    def forward(self, states: Tensor) -> Tensor:
        states = states + self.attn(self.ln_1(states))
        return states + self.mlp["c_proj"](self.mlp["act"](self.mlp["c_fc"](self.ln_2(states))))


class LinearGpt2(nn.Module):
    """tied: the head is the table of words. masks: each layer saves its causal mask."""

    def __init__(self, sizes: Sizes, bias: bool, masks: bool, tied: bool, tanh: bool) -> None:
        super().__init__()
        block = partial(Block, sizes, bias, masks, nn.GELU("tanh" if tanh else "none"))
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(sizes.vocab_size, sizes.n_embd), "wpe": nn.Embedding(sizes.block_size, sizes.n_embd),
            "h": nn.ModuleList(block() for _ in range(sizes.n_layer)), "ln_f": Norm(sizes.n_embd, bias),
        })  # fmt: skip
        self.lm_head = nn.Linear(sizes.n_embd, sizes.vocab_size, bias=False)
        if tied:
            self.transformer["wte"].weight = self.lm_head.weight
        sharpen(self)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.add_(torch.linspace(-0.5, 0.5, len(weight)) * (1 + len(name) % 3))

    def forward(self, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Logits (B, T, V), and the attention weights (B, H, T, T) of each layer."""
        states = self.transformer["wte"](ids) + self.transformer["wpe"](torch.arange(ids.shape[1]))
        for block in self.transformer["h"]:
            states = block(states)
        logits = self.lm_head(self.transformer["ln_f"](states))
        return logits, [block.attn.weights for block in self.transformer["h"]]


def nanogpt(bias: bool, sizes: Sizes | None = None) -> LinearGpt2:
    return LinearGpt2(sizes or Sizes(), bias, masks=False, tied=True, tanh=False)


def mingpt(sizes: Sizes | None = None) -> LinearGpt2:
    return LinearGpt2(sizes or Sizes(), bias=True, masks=True, tied=False, tanh=True)


def save_as_nanogpt_does(network: LinearGpt2, path: Path, bias: bool) -> None:
    """After one step of training through torch.compile's wrapper, with all that its train.py puts beside."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.0, weight_decay=0.0)
    network(torch.zeros(1, 4, dtype=torch.long))[0].sum().backward()
    optimizer.step()
    sizes = {name: int(value) for name, value in vars(Sizes()).items()}
    model_args: dict[str, Any] = sizes | {"bias": bias, "dropout": 0.0}
    held = {
        "model": {f"_orig_mod.{name}": tensor for name, tensor in network.state_dict().items()},
        "optimizer": optimizer.state_dict(),
        "model_args": model_args,
        "iter_num": 1,
        "best_val_loss": torch.tensor(3.5),
        "config": {"out_dir": "out", "eval_only": False, "learning_rate": 6e-4, **model_args},
    }
    torch.save(held, path)
