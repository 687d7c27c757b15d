"""What a model answered at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Output:
    """The answer and what it means.

    kind        "labels" (values: logits (labels,)), "next tokens" (logits (vocabulary,) after the last token),
                "token labels" (logits (T, labels), of a tagger), "token logits" ((T, ...), what a masked language model
                says of each token), or "hidden states" ((T, width)) for a model without a head
    names       names of the labels, whether of the text or of each token, or () where the kind has none
    likeliest   labels or next tokens with their probabilities, the most probable first; () for the other kinds
    written     the text that the model wrote itself, or None where nothing was to be written
    """

    kind: str
    values: Tensor
    names: tuple[str, ...] = ()
    likeliest: tuple[tuple[str, float], ...] = ()
    written: str | None = None
