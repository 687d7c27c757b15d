"""What a model's answer offers to be asked about, and which of it somebody means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from core.capture import NUMBER, shares_of
from core.errors import HeadlightError
from core.models.reading import Reading
from core.saliency.answers import label_logits, next_token_logits
from core.saliency.target import LABEL, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY, Target

if TYPE_CHECKING:
    from core.saliency.question import Question

# A name, an index, two of them (the second is the foil), or None for the model's own choice.
Wanted = str | int | tuple[str | int | None, str | int] | None
MOST = 10
MOST_WORDS = 200
_SPACE = "␣"


def targets_of(question: Question, answer: Any) -> tuple[Target, ...]:
    """The likeliest labels or next tokens, all words of an answer in order, or the similarity."""
    kind = question.target.kind
    if kind == SIMILARITY:
        return (Target(SIMILARITY, 0, f"cosine of {question.model.pooling.words}"),)
    if kind == OUTPUT_WORD:
        return _words(question, answer)
    shares = _shares(question, answer)
    if question.function == NUMBER:
        return tuple(_target(question, place, value) for place, value in enumerate(shares[:MOST].tolist()))
    values, places = shares.topk(min(MOST, len(shares)))
    return tuple(_target(question, i, share) for i, share in zip(places.tolist(), values.tolist(), strict=True))


def _target(question: Question, index: int, value: float) -> Target:
    """A label or a token with its probability, or with the number that a regression gives."""
    probability, number = (None, value) if question.function == NUMBER else (value, None)
    return Target(question.target.kind, index, _name(question, index), probability, number)


def chosen_target(question: Question, targets: tuple[Target, ...], wanted: Wanted, answer: Any) -> Target:
    """The target that is meant. Raises HeadlightError for one that there is not."""
    if not isinstance(wanted, tuple):
        return _one(question, targets, wanted, answer)
    if question.target.kind == SIMILARITY:
        raise HeadlightError("Two texts have one similarity: leave the contrast out.")
    main, foil = (_one(question, targets, each, answer) for each in wanted)
    if question.target.kind == OUTPUT_WORD:
        raise HeadlightError("A word of an answer is explained by itself: leave the contrast out.")
    if main.index == foil.index:
        raise HeadlightError("A target cannot be held against itself: choose two that differ.")
    return replace(main, foil=foil)


def _one(question: Question, targets: tuple[Target, ...], wanted: str | int | None, answer: Any) -> Target:
    if wanted is None:
        return targets[0]
    kind = question.target.kind
    if isinstance(wanted, str):
        named = [each for each in targets if wanted in (each.label, each.label.removeprefix(_SPACE))]
        if named:
            return named[0]
        wanted = _index_of(question, wanted)
    known = next((each for each in targets if each.index == wanted), None)
    if known is not None:
        return known
    count = _count(question, answer)
    if kind in (SIMILARITY, OUTPUT_WORD) or not 0 <= wanted < count:
        raise HeadlightError(f"There is no {kind} number {wanted} here: choose one of 0 to {count - 1:,}.")
    return _target(question, wanted, float(_shares(question, answer)[wanted]))


def _shares(question: Question, answer: Any) -> Tensor:
    """(K,) probabilities of all labels, or of all tokens after the last; numbers of a regression."""
    pick = next_token_logits if question.target.kind == NEXT_TOKEN else label_logits
    return shares_of(pick(answer, question.attention_mask())[0, 0].float(), question.function)


def _count(question: Question, answer: Any) -> int:
    if question.target.kind == OUTPUT_WORD:
        return len(targets_of(question, answer))
    return 1 if question.target.kind == SIMILARITY else int(answer.logits.shape[-1])


def _index_of(question: Question, name: str) -> int:
    """The number of a label or of a token that is not among the likeliest."""
    kind = question.target.kind
    if kind == LABEL:
        labels: dict[Any, Any] = question.model.network.config.id2label or {}
        found = [int(number) for number, label in labels.items() if str(label) == name]
        if found:
            return found[0]
        raise HeadlightError(
            f"There is no label “{name[:40]}”: choose one of {', '.join(map(str, labels.values()))[:200]}."
        )
    if kind == NEXT_TOKEN:
        tokens = question.model.encoder.encode(name)
        own = [token for token, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        if len(own) == 1:
            return own[0]
        raise HeadlightError(
            f"“{name[:40]}” is {len(own)} tokens to {question.model.name}: choose one that is a single token."
        )
    raise HeadlightError(f"There is no {kind} “{name[:40]}” here: choose one by its number.")


def _name(question: Question, index: int) -> str:
    if question.target.kind == LABEL:
        named: dict[Any, Any] = question.model.network.config.id2label or {}
        return str(named.get(index, index))
    labels = question.model.encoder.tokens_of_ids([index], continuing=True).labels
    return labels[0] if labels else ""


def word_rows(reading: Reading) -> tuple[tuple[int, ...], ...]:
    """Decoder rows that produce each word of an answer; its special tokens are no words."""
    produced = reading.produced
    if produced is None:
        return ()
    units = produced.merged()
    return tuple(m for m, special in zip(units.members, units.special, strict=True) if not special)


def word_label(label: str) -> str:
    """A word as it stands in a text, where the space before it is seen without a sign for it."""
    return label.removeprefix(_SPACE) or label


def _words(question: Question, answer: Any) -> tuple[Target, ...]:
    """The words of what an encoder-decoder says, with the probability of all of their tokens."""
    produced = question.reading.produced
    rows = word_rows(question.reading)[:MOST_WORDS]
    if produced is None or not rows:
        raise HeadlightError(
            f"{question.model.name} answers this text with no word: give it another text or an answer."
        )
    units = produced.merged()
    labels = [word_label(label) for label, special in zip(units.labels, units.special, strict=True) if not special]
    shares = torch.log_softmax(answer.logits[0].float(), dim=-1)  # (T, V)
    return tuple(
        Target(OUTPUT_WORD, place, label, math.exp(sum(float(shares[row, produced.ids[row]]) for row in of)))
        for place, (label, of) in enumerate(zip(labels, rows, strict=False))
    )
