"""Which stream an attention module belongs to, read from its path inside the model."""

from __future__ import annotations

import re

_CROSS = re.compile(r"cross_?att|encoder_attn|EncDec", re.IGNORECASE)
_ENCODER = re.compile(r"(^|\.)encoder\.")


def stream_of(path: str, encoder_decoder: bool) -> str:
    """The stream's name: "self" in one-stack models; "encoder", "decoder" or "cross" in encoder-decoders."""
    if _CROSS.search(path):
        return "cross"
    if not encoder_decoder:
        return "self"
    return "encoder" if _ENCODER.search(path) else "decoder"
