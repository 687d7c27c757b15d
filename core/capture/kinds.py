"""What a layer's attention is limited to, and what its rows add up to, as its own module says."""

from __future__ import annotations

from typing import Any

from torch import nn

GLOBAL = "global"


def kind_of(module: nn.Module | None, window: int | None = None) -> str:
    """ "global", "sliding window of w" or "chunks of w" tokens, or "local" where the module names no width.

    The number is how many keys a query sees at most, itself included.

    window: the width that the module passed on with its call, if any.
    """
    config: Any = getattr(module, "config", None)
    if isinstance(window, int):
        # Where a query may look ahead, the library counts one side, the query included.
        return f"sliding window of {window if getattr(module, 'is_causal', True) else 2 * window - 1}"
    declared = getattr(module, "layer_type", None) or getattr(module, "attention_type", None)
    if declared == "chunked_attention" or _is_chunked(module, config):
        return f"chunks of {config.attention_chunk_size}"
    if declared == "local":  # GPT-Neo
        width = getattr(config, "window_size", None)
        return f"sliding window of {width}" if width else "local"
    return GLOBAL


def sums_to_less(module: nn.Module | None) -> bool:
    """Whether a part of each row goes to no token, as under a window that multiplies the softmax of local-p."""
    return bool(getattr(module, "attention_sums_to_less", False))


def _is_chunked(module: nn.Module | None, config: Any) -> bool:
    """Llama 4: the layers with rotary positions read within chunks."""
    return bool(getattr(config, "attention_chunk_size", None)) and bool(getattr(module, "use_rope", False))
