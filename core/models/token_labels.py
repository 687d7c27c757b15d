"""What a tagger says: the most probable label of each token, and the text with the marks that such labels write."""

from __future__ import annotations

import unicodedata

from core.capture import Output, shares_of
from core.text import Tokens


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
