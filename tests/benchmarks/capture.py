"""What capture costs: a forward pass with recording against the plain one, eager with its maps beside them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from transformers import AutoModel, BertConfig, GPT2Config

from core.capture import record
from tests.benchmarks.timing import median_seconds

CASES = (
    ("GPT-2 size (12 × 12 heads), 1,024 tokens", GPT2Config(), 1024),
    ("BERT-base size (12 × 12 heads), 512 tokens", BertConfig(), 512),
    ("MiniLM size (6 × 12 heads), 64 tokens", BertConfig(
        hidden_size=384, num_hidden_layers=6, intermediate_size=1536), 64),
)  # fmt: skip


def table() -> str:
    """The table as Markdown, one row a case."""
    torch.set_num_threads(1)
    lines = [
        "| forward pass | plain | with capture | eager with output_attentions |",
        "| --- | --- | --- | --- |",
        *(_row(*case) for case in CASES),
    ]
    return "\n".join(lines)


def _row(title: str, config: GPT2Config | BertConfig, length: int) -> str:
    ids = torch.randint(config.vocab_size, (1, length), generator=torch.Generator().manual_seed(0))
    fused, eager = (_model(config, implementation) for implementation in ("sdpa", "eager"))
    seconds = median_seconds(
        {
            "plain": _forward(fused, ids),
            "capture": _recorded(fused, ids),
            "eager": _forward(eager, ids, output_attentions=True),
        }
    )
    plain = seconds["plain"]
    ratios = " | ".join(f"× {seconds[name] / plain:.3f}" for name in ("capture", "eager"))
    return f"| {title} | {1000 * plain:.0f} ms | {ratios} |"


def _model(config: GPT2Config | BertConfig, implementation: str) -> nn.Module:
    torch.manual_seed(0)
    # A copy, because a config remembers the implementation of the first model built from it.
    own = type(config).from_dict(config.to_dict())
    return AutoModel.from_config(own, attn_implementation=implementation).eval().requires_grad_(False)


def _forward(model: nn.Module, ids: torch.Tensor, **options: bool) -> Callable[[], object]:
    return torch.no_grad()(lambda: model(ids, **options))


def _recorded(model: nn.Module, ids: torch.Tensor) -> Callable[[], object]:
    run = _forward(model, ids)

    def recorded() -> list[list[float]]:
        with record(model) as recording:
            run()
        return recording.errors()

    return recorded
