"""What a tagger says: the most probable label of each token, and the text with the marks that such labels write."""

from __future__ import annotations

import unicodedata
from typing import Any

from torch import Tensor
from transformers import PreTrainedModel

from core.capture import SOFTMAX, Output, shares_of
from core.text import Tokens

KIND = "token labels"


def token_labels(network: PreTrainedModel, logits: Tensor, function: str = SOFTMAX) -> Output:
    """The answer to one text. logits: (T, labels); function: what makes probabilities of them."""
    named: dict[Any, str] = network.config.id2label or {}
    names = tuple(str(named.get(i, i)) for i in range(logits.shape[-1]))
    return Output(KIND, logits.detach().float().cpu().clone(), names, function=function)


def best_labels(output: Output) -> tuple[tuple[str, float], ...]:
    """The most probable label of each token, and its probability; the number where it means no probability."""
    shares, places = shares_of(output.values, output.function).max(dim=-1)  # (T, labels) -> (T,), (T,)
    return tuple((output.names[i], share) for i, share in zip(places.tolist(), shares.tolist(), strict=True))


def marked_text(tokens: Tokens, output: Output) -> str | None:
    """The text with each token's label written after it, where all labels are combining marks or nothing at all.

    Marks of that kind that the text has already give way to the model's. None for labels of another kind.
    """
    marks = set("".join(output.names))
    if not marks or any(unicodedata.category(mark) != "Mn" for mark in marks):
        return None
    written, end = [], 0
    for span, (label, _) in zip(tokens.spans, best_labels(output), strict=True):
        if span is not None:
            written += [tokens.text[end : span[1]].translate(dict.fromkeys(map(ord, marks))), label]
            end = span[1]
    return unicodedata.normalize("NFC", "".join(written) + tokens.text[end:])
