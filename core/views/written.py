"""Where what a model wrote begins in the text that it then read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.capture import Trace


def written_from(trace: Trace, stream: str) -> int | None:
    """Position of the first token that the model wrote; None where it wrote none, or its own text is another one.

    Only a decoder's own stream reads the prompt and what was written as one text.
    """
    if stream != "self" or not trace.output.written:
        return None
    tokens, written = trace.tokens, trace.output.written
    text, sequence = (tokens.text, 0) if tokens.text_pair is None else (tokens.text_pair, 1)
    if not text.endswith(written):
        # Behind a special token a text begins, and the space before its first word is no part of it.
        written = written.removeprefix(" ")
    if not written or not text.endswith(written):
        return None
    begin = len(text) - len(written)
    starts = enumerate(zip(tokens.spans, tokens.sequences, strict=True))
    return next((i for i, (span, own) in starts if span and own == sequence and span[0] >= begin), None)
