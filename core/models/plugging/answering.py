"""What a user's module answers, found out by two short runs: labels of a text or of its tokens, or states.

Shapes: B texts, T tokens, L labels, E width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers.utils.generic import ModelOutput

from core.errors import HeadlightError

LABELS, TOKEN_LABELS, STATES, LOGITS = "labels", "token labels", "states", "logits"
_REMEDY = "return logits (B, labels), logits (B, T, labels) or states (B, T, width)"


@dataclass(frozen=True)
class Answering:
    """How a module's answer is read.

    kind           one of those above; "logits" are those of a decoder, whose rows are no tokens of the text
    width          L or E
    of_vocabulary  whether its labels are the tokens of the vocabulary
    decodes        whether it is an encoder-decoder
    """

    kind: str
    width: int
    of_vocabulary: bool = False
    decodes: bool = False

    @property
    def labels(self) -> bool:
        """Whether it says labels of the text or of its tokens."""
        return self.kind in (LABELS, TOKEN_LABELS)

    def named(self, answer: Any) -> ModelOutput:
        """The answer under the name that it has in transformers."""
        found = found_in(answer)
        assert found is not None
        tensor = found[1]
        if self.kind == LABELS:
            return ModelOutput(logits=tensor[:, None] if tensor.dim() == 1 else tensor)  # (B,) -> (B, 1)
        return ModelOutput(**{"last_hidden_state" if self.kind == STATES else "logits": tensor})


def found_in(answer: Any) -> tuple[str, Tensor] | None:
    """The tensor of an answer, and what it is called there; None where there is none."""
    if isinstance(answer, Tensor):
        return ("", answer) if answer.is_floating_point() else None
    named: list[tuple[str, Any]] = []
    if isinstance(answer, Mapping):
        ordered = [name for name in ("logits", "last_hidden_state") if name in answer] or list(answer)
        named = [(str(name), answer[name]) for name in ordered]
    elif isinstance(answer, tuple | list):
        named = [("", each) for each in answer]
    return next((each for each in named if isinstance(each[1], Tensor) and each[1].is_floating_point()), None)


def answering_of(
    name: str, answers: Sequence[tuple[int, Any]], texts: int, rows: int | None, vocabulary: int, labels: int
) -> Answering:
    """What the answers to `texts` texts of each length say. Raises HeadlightError for what no page could show.

    answers: number of tokens and the answer; rows: of a decoder, whose number is the same in all of them, else None
    vocabulary: number of embeddings; labels: how many the plugin names, 0 for none
    """
    found = []
    for length, answer in answers:
        each = found_in(answer)
        if each is None:
            raise HeadlightError(f"{name}: its forward returns no tensor of fractions: {_REMEDY}.")
        expected = length if rows is None else rows
        shape = tuple(each[1].shape)
        fits = len(shape) in (1, 2, 3) and shape[0] == texts and (len(shape) < 3 or shape[1] == expected)
        if not fits:
            raise HeadlightError(
                f"{name}: its forward returns {shape} for {texts} texts of {expected} tokens: {_REMEDY}, the texts "
                "first."
            )
        found.append((each[0], shape))
    (called, shape), (_, other) = found[0], found[-1]
    if shape[2 if len(shape) == 3 else 1 :] != other[2 if len(other) == 3 else 1 :]:
        raise HeadlightError(f"{name}: the width of its answer depends on the text's length: {_REMEDY}.")
    width = 1 if len(shape) == 1 else shape[-1]
    kind = LABELS if len(shape) < 3 else _kind_of_rows(called, width, vocabulary, labels)
    if rows is not None:
        kind = STATES if kind == STATES else LOGITS
    if labels and kind in (LABELS, TOKEN_LABELS) and labels != width:
        raise HeadlightError(f"{name} names {labels} labels and answers with {width}: name each of them.")
    return Answering(kind, width, kind == TOKEN_LABELS and width == vocabulary and not labels, rows is not None)


def _kind_of_rows(called: str, width: int, vocabulary: int, labels: int) -> str:
    """Of (B, T, …): what has no name is labels where it is as wide as the plugin's labels or as the vocabulary."""
    if called in ("logits", "last_hidden_state"):
        return TOKEN_LABELS if called == "logits" else STATES
    return TOKEN_LABELS if width in (vocabulary, labels) else STATES
