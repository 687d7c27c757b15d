"""Which stream an attention module belongs to."""

from __future__ import annotations

import re

from torch import nn

STREAMS = ("self", "encoder", "decoder", "cross", "pooling")
# Of an encoder-decoder's decoder: a row is the token that was read, and its weights serve the token that comes next.
OFFSET_STREAMS = ("decoder", "cross")

# torch's own decoder layer calls its cross-attention `multihead_attn`.
_CROSS = re.compile(r"cross_?att|encoder_attn|EncDec|multihead_attn$", re.IGNORECASE)
_ENCODER = re.compile(r"(^|[._])encoder\.")


def is_encoder_decoder(model: nn.Module) -> bool:
    """Whether the model has two stacks, as its config says or as torch's own decoder is part of it."""
    declared = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    return bool(declared) or any(isinstance(module, nn.TransformerDecoder) for module in model.modules())


def stream_of(path: str, encoder_decoder: bool) -> str:
    """The stream's name, read from the module's path.

    "self" in one-stack models; "encoder", "decoder" or "cross" in encoder-decoders.
    """
    if _CROSS.search(path):
        return "cross"
    if not encoder_decoder:
        return "self"
    return "encoder" if _ENCODER.search(path) else "decoder"


def stream_of_map(path: str, encoder_decoder: bool, queries: int, keys: int) -> str:
    """The same for a map of which nothing is known but its size: it may lie over an RNN.

    One query over many states is pooling; where rows and columns are different things, it is cross-attention.
    """
    stream = stream_of(path, encoder_decoder)
    if stream in ("cross", "encoder") or queries == keys:
        return stream
    return "cross" if encoder_decoder or queries > 1 else "pooling"


def declared_stream(module: nn.Module | None) -> str | None:
    """What a module says of itself in `attention_stream`: a map as wide as high does not show what it lies over."""
    stream = getattr(module, "attention_stream", None)
    return stream if stream in STREAMS else None
