"""What a model's answer offers to be asked about, and which of it somebody means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from core.capture import NUMBER, shares_of
from core.errors import HeadlightError
from core.models.answers import CHOICE, LABEL, MASKED_WORD, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY, SPAN, best_spans
from core.models.model import Model
from core.models.reading import Reading
from core.saliency.target import Target
from core.text import Tokens

if TYPE_CHECKING:
    from core.saliency.question import Question

# A name, an index, two of them (the second is the foil), or None for the model's own choice.
Wanted = str | int | tuple[str | int | None, str | int] | None
MOST = 10
MOST_WORDS = 200
_SPACE = "␣"
# Kinds of which nothing is held against another, and why.
_UNCONTRASTED = {
    SIMILARITY: "Two texts have one similarity",
    OUTPUT_WORD: "A word of an answer is explained by itself",
    SPAN: "An end of an answer is explained against all other tokens",
}


def targets_of(question: Question, answer: Any, at: int | str | None = None) -> tuple[Target, ...]:
    """The likeliest labels or tokens, both ends of a span, all words of an answer in order, or the similarity.

    at: the token whose answer is meant, by its place or by the word that begins with it; None for the model's choice.
    Raises HeadlightError for a token that there is not.
    """
    kind = question.kind.name
    if at is not None and not question.kind.of_one_token:
        raise HeadlightError(f"{question.model.name} has one answer for the whole text: leave the token out.")
    if kind == SIMILARITY:
        return (Target(SIMILARITY, 0, f"cosine of {question.model.pooling.words}"),)
    if kind == OUTPUT_WORD:
        return _words(question, answer)
    if kind == CHOICE:
        each = zip(question.reading.choices, torch.tensor(question.reading.scores).softmax(-1).tolist(), strict=True)
        found = (Target(CHOICE, i, name, share) for i, (name, share) in enumerate(each))
        return tuple(sorted(found, key=lambda target: -(target.probability or 0)))
    logits = question.kind.logits(answer)[0].float()  # (K,), (T, K), or (2, T) of a span
    if kind == SPAN:
        return _ends(question, logits, at)
    place = _place(question, logits, at) if question.kind.of_one_token else None
    shares = shares_of(logits if kind == LABEL else logits[-1 if place is None else place], question.function)
    if question.function == NUMBER:
        return tuple(_target(question, i, value, place) for i, value in enumerate(shares[:MOST].tolist()))
    values, best = shares.topk(min(MOST, len(shares)))
    return tuple(_target(question, i, share, place) for i, share in zip(best.tolist(), values.tolist(), strict=True))


def _ends(question: Question, logits: Tensor, at: int | str | None) -> tuple[Target, ...]:
    """Start and end of the most probable span, or both at one token; logits: (2, T)."""
    best = best_spans(logits, question.tokens, 1)
    chosen = None if at is None else _numbered(question.tokens, at, of_span=True)
    places = best[0][:2] if chosen is None else (chosen, chosen)
    shares = torch.softmax(logits, dim=-1)
    return tuple(_target(question, end, float(shares[end, place]), place) for end, place in enumerate(places))


def _place(question: Question, logits: Tensor, at: int | str | None) -> int:
    """The token that is meant: a mask, or else the one surest of a label that few others have. logits: (T, K)."""
    if question.kind.name == MASKED_WORD:
        assert isinstance(at, int)  # `masked` found it
        return at
    if at is not None:
        return _numbered(question.tokens, at)
    own = list(question.scored)
    sure, best = shares_of(logits[own], question.function).max(dim=-1)  # (P, K) -> (P,), (P,)
    others = best != best.mode().values
    return own[int(sure.masked_fill(~others, -math.inf).argmax() if bool(others.any()) else sure.argmax())]


def with_choice(model: Model, text: str, reading: Reading, wanted: Wanted) -> Reading:
    """The text read with the choice that is meant. Raises HeadlightError for one that there is not."""
    if not reading.choices:
        raise HeadlightError(f"{model.name} chooses among texts: give them as the second text, one a line.")
    main = wanted[0] if isinstance(wanted, tuple) else wanted
    if isinstance(main, str):
        main = next((place for place, choice in enumerate(reading.choices) if choice == main.strip()), -1)
    if main is None or main == reading.chosen:
        return reading
    if not 0 <= main < len(reading.choices):
        raise HeadlightError(f"There is no such choice: choose one of {len(reading.choices)} by its text or number.")
    return replace(reading, tokens=model.encode(text, reading.choices[main]), chosen=main)


def masked(model: Model, tokens: Tokens, at: int | str | None) -> tuple[Tokens, int | None]:
    """The tokens with a mask in the place of the one that is meant, and that place; None where the text has no word.

    Unless another is meant it is the first mask of the text's own, or the last that has a letter or a digit.
    Raises HeadlightError for a model without mask, and for a word that there is not.
    """
    if model.encoder.mask_id is None:
        raise HeadlightError(f"{model.name} has no mask token, so there is no masked word that it could fill in.")
    masks = [place for place, number in enumerate(tokens.ids) if number == model.encoder.mask_id]
    if (found := next((place for place in masks if at in (None, place, tokens.labels[place])), None)) is not None:
        return tokens, found
    own = [place for place, special in enumerate(tokens.special) if not special]
    words = [place for place in own if any(map(str.isalnum, tokens.labels[place]))] or own
    if not words:
        return tokens, None
    place = words[-1] if at is None else _numbered(tokens, at)
    return model.encoder.masked(tokens, place), place


def _numbered(tokens: Tokens, at: int | str, of_span: bool = False) -> int:
    """The place of a token.

    of_span: whether it is an end of an answer, which may lie at a special token, and of a word that stands in both
    texts is in the second, of which a question is asked.
    """
    if isinstance(at, str):
        units = tokens.merged()
        words = zip(units.labels, units.members, units.special, strict=True)
        named = [places[0] for label, places, special in words if not special and at in (label, word_label(label))]
        if of_span:
            named.sort(key=lambda place: tokens.sequences[place] != 1)
        if not named:
            raise HeadlightError(f"There is no word “{at[:40]}” in the text: choose one that is.")
        return named[0]
    if not 0 <= at < len(tokens) or (tokens.special[at] and not of_span):
        raise HeadlightError(f"Token {at} of this text is no word that could be asked about: choose another.")
    return at


def _target(question: Question, index: int, value: float, place: int | None) -> Target:
    """A label or a token with its probability, or with the number that a regression gives."""
    probability, number = (None, value) if question.function == NUMBER else (value, None)
    at = "" if place is None else _token(question.tokens, place)
    return Target(question.kind.name, index, _name(question, index), probability, number, place=place, at=at)


def chosen_target(question: Question, targets: tuple[Target, ...], wanted: Wanted, answer: Any) -> Target:
    """The target that is meant. Raises HeadlightError for one that there is not."""
    if not isinstance(wanted, tuple):
        return _one(question, targets, wanted, answer)
    if (refusal := _UNCONTRASTED.get(question.kind.name)) is not None:
        raise HeadlightError(f"{refusal}: leave the contrast out.")
    main, foil = (_one(question, targets, each, answer) for each in wanted)
    if main.index == foil.index:
        raise HeadlightError("A target cannot be held against itself: choose two that differ.")
    return replace(main, foil=foil)


def _one(question: Question, targets: tuple[Target, ...], wanted: str | int | None, answer: Any) -> Target:
    if wanted is None:
        return targets[0]
    if isinstance(wanted, str):
        named = [each for each in targets if wanted in (each.label, each.label.removeprefix(_SPACE))]
        if named:
            return named[0]
        wanted = _index_of(question, wanted)
    known = next((each for each in targets if each.index == wanted), None)
    if known is not None:
        return known
    kind, row = question.kind.name, targets[0].place
    if kind in (SIMILARITY, OUTPUT_WORD, SPAN, CHOICE):
        raise HeadlightError(f"There is no {kind} number {wanted} here: choose one of 0 to {len(targets) - 1:,}.")
    logits = question.kind.logits(answer)[0].float()  # (K,) or (T, K)
    shares = shares_of(logits if kind == LABEL else logits[-1 if row is None else row], question.function)
    if not 0 <= wanted < len(shares):
        raise HeadlightError(f"There is no {kind} number {wanted} here: choose one of 0 to {len(shares) - 1:,}.")
    return _target(question, wanted, float(shares[wanted]), row)


def _token(tokens: Tokens, place: int) -> str:
    """How a token is shown; of one that is masked what it hides."""
    span = tokens.spans[place]
    if span is None or not tokens.special[place]:
        return word_label(tokens.labels[place])
    text = tokens.text_pair if tokens.sequences[place] == 1 else tokens.text
    return (text or "")[slice(*span)].strip()


def _index_of(question: Question, name: str) -> int:
    """The number of a label or of a token that is not among the likeliest."""
    kind, names = question.kind.name, question.kind.names
    if names:
        if name in names:
            return names.index(name)
        raise HeadlightError(f"There is no label “{name[:40]}”: choose one of {', '.join(names)[:200]}.")
    if kind in (NEXT_TOKEN, MASKED_WORD):
        tokens = question.model.encoder.encode(name)
        own = [token for token, special in zip(tokens.ids, tokens.special, strict=True) if not special]
        if len(own) == 1:
            return own[0]
        raise HeadlightError(
            f"“{name[:40]}” is {len(own)} tokens to {question.model.name}: choose one that is a single token."
        )
    raise HeadlightError(f"There is no {kind} “{name[:40]}” here: choose one by its number.")


def _name(question: Question, index: int) -> str:
    if question.kind.names:
        return question.kind.names[index]
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
