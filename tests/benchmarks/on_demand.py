"""What the weights cost once a text has been read, as shares of the forward pass: a head, a row, all heads."""

from __future__ import annotations

from collections.abc import Callable

import torch
from transformers import AutoModel, GPT2Config

from core.capture import Call, record
from tests.benchmarks.timing import median_seconds

LENGTH, SHORT = 1024, 256


def table() -> str:
    """The table as Markdown: a GPT-2-size model, 1,024 tokens, the plain forward as the measure."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = AutoModel.from_config(GPT2Config(), attn_implementation="sdpa").eval().requires_grad_(False)
    ids = torch.randint(50_257, (1, LENGTH))
    calls, short = (_recorded(model, ids[:, :length]) for length in (LENGTH, SHORT))
    seconds = median_seconds(
        {
            "plain forward, 1,024 tokens": torch.no_grad()(lambda: model(ids)),
            "one head": lambda: calls[5].weights([3]),
            "one row of one head in each of 12 layers": lambda: [c.weights([3], rows=slice(700, 701)) for c in calls],
            "one row of all heads in all layers": lambda: [c.weights(rows=slice(700, 701)) for c in calls],
            "all 144 heads, 256 tokens": lambda: [call.weights() for call in short],
        }
    )
    plain = seconds["plain forward, 1,024 tokens"]
    lines = ["| on demand | time | of that forward |", "| --- | --- | --- |"]
    lines += [f"| {name} | {1000 * taken:.1f} ms | {_share(taken, plain)} |" for name, taken in seconds.items()]
    return "\n".join(lines)


def _share(taken: float, plain: float) -> str:
    return "1" if taken == plain else f"1/{plain / taken:.0f}"


def _recorded(model: Callable[..., object], ids: torch.Tensor) -> list[Call]:
    with torch.no_grad(), record(model) as recording:  # type: ignore[arg-type]
        model(ids)
    return list(recording.calls)
