"""Making a question: what kind of answer a model gives, which of its answers is meant, and how it is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.errors import HeadlightError
from core.jobs import Job
from core.models.answers import (
    CHOICE,
    MASKED_WORD,
    NEXT_TOKEN,
    OUTPUT_WORD,
    SIMILARITY,
    SPAN,
    UNKNOWN,
    AnswerKind,
    answer_kind,
)
from core.models.generation import GREEDY, Decoding
from core.models.model import Model
from core.models.out_of_memory import memory_worded
from core.saliency.answers import (
    AnswerReader,
    LogitReader,
    SimilarityReader,
    among,
    next_token_logits,
    rows_of,
)
from core.saliency.baselines import BASELINES, default_baseline
from core.saliency.blindness import blind
from core.saliency.question import Question
from core.saliency.runner import finite
from core.saliency.scalars import COSINE, LOG_PROBABILITY, PROBABILITY, scalars_for
from core.saliency.target import Target
from core.saliency.targets import Wanted, chosen_target, masked, targets_of, with_choice, word_label, word_rows
from core.text import Tokens

L2, L1, DOT, ABSOLUTE_DOT = "l2", "l1", "dot", "absolute dot"
AGGREGATIONS = (L2, L1, DOT, ABSOLUTE_DOT)
WORD, TOKEN = "word", "token"
# Above this a probability hardly moves whatever is changed, and its gradients are noise.
SATURATED = 0.99


def ask(
    model: Model,
    text: str,
    *,
    text_pair: str | None = None,
    target: Wanted = None,
    scalar: str | None = None,
    baseline: str | None = None,
    aggregation: str | None = None,
    by: str = WORD,
    at: int | str | None = None,
    answer: str | None = None,
    decoding: Decoding = GREEDY,
    job: Job | None = None,
) -> Question:
    """What is to be explained of a model's answer to a text.

    text_pair    the second text of a pair; of an encoder without a head what the text is compared with
    target       a label, a token, a word of the answer, by name or by index; None for the model's own choice (of an
                 answer its first word); a pair of them for the first against the second
    scalar       one of `SCALARS`, "margin" when None; of two texts "cosine" and of a regression "number" alone
    baseline     one of `BASELINES`, see `default_baseline`
    aggregation  how a gradient becomes one number: "l2" (when None) or "l1" norm, "dot" with the embedding, its size
    by           "word" or "token"
    at           the token that is asked about, by its place or its word, where each has an answer of its own: the
                 start or end of a span ("start" and "end" are the targets), a token's label, or what a masked language
                 model says in its place, for which it is masked
    answer       what an encoder-decoder is made to say; None for its own answer, written by `decoding`
    Raises HeadlightError, one sentence, for what cannot be explained.
    """
    _require(baseline, BASELINES, "baseline")
    _require(aggregation, AGGREGATIONS, "aggregation")
    _require(by, (WORD, TOKEN), "unit")
    kind = kind_of(model)
    compared = kind.name == SIMILARITY
    offered = scalars_of(model)
    _require(scalar, offered, "scalar")
    if compared and not (text_pair or "").strip():
        raise HeadlightError(
            f"{model.name} has no head that answers anything: give a second text, to explain how alike the two are."
        )
    if compared and model.pooling.refused:
        raise HeadlightError(model.pooling.refused)
    if kind.of_pairs and not (text_pair or "").strip():
        raise HeadlightError(f"{model.name} says whether a second text follows the first: give a second text.")
    if compared:
        reading = model.read_tokens(model.encode_pooled(text))
    else:
        reading = model.read(text, text_pair, target=answer, decoding=decoding, job=job)
    if kind.name == CHOICE:
        reading = with_choice(model, text, reading, target)
    if kind.name == MASKED_WORD:
        tokens, at = masked(model, reading.tokens, at)
        reading = replace(reading, tokens=tokens)
    groups = groups_of(reading.tokens, by)
    if not groups:
        raise HeadlightError("The text has no word of its own, only special tokens: type at least one word.")
    found = Question(
        model=model,
        reading=reading,
        target=Target(kind.name, 0, ""),
        targets=(),
        scalar=scalar or offered[0],
        baseline=baseline or default_baseline(model),
        aggregation=aggregation or L2,
        by=by,
        groups=groups,
        labels=labels_of(reading.tokens, groups, by),
        reader=SimilarityReader(_pooled(model, text_pair or ""), model.pooling)
        if compared
        else LogitReader(rows_of(kind, None), (0,), None, offered[0]),
        kind=kind,
    )
    return _settled(found, target, at)


def _settled(question: Question, wanted: Wanted, at: int | str | None) -> Question:
    """The question with its target, what F and its probability are, and what is to be said about it."""
    mask = question.attention_mask()
    with memory_worded(question.model.name, question.model.device):
        plain = question.answer_ids(question.input_ids(), mask)
    finite(plain[0], "forwards")
    targets = targets_of(question, plain, at)
    target = chosen_target(question, targets, wanted, plain)
    reader = reader_of(question, target)
    value, probability = (float(read(plain, mask)[0]) for read in (reader.scalar, reader.probability))
    settled = replace(
        question, target=target, targets=targets, reader=reader, value=value, probability=probability,
    )  # fmt: skip
    return replace(settled, blind=blind(settled), notes=tuple(_notes(settled)))


def kind_of(model: Model) -> AnswerKind:
    """What the model answers. Raises HeadlightError for answers that no method here explains."""
    kind, network = answer_kind(model.network), model.network
    if kind.name == UNKNOWN:
        raise HeadlightError(
            f"{model.name} is a {type(network).__name__}, which {kind.says}: choose a classifier, a tagger, a model "
            "that answers questions or one that writes."
        )
    if kind.name == SIMILARITY and network.config.is_encoder_decoder:
        raise HeadlightError(f"{model.name} has no head to write with: choose a model that answers something.")
    if kind.name != OUTPUT_WORD and network.config.is_encoder_decoder:
        raise HeadlightError(
            f"{model.name} is a {type(network).__name__}, whose decoder reads the text again before it answers, and no "
            "method here follows that: choose a model of one stack."
        )
    return kind


def scalars_of(model: Model) -> tuple[str, ...]:
    """What can be explained of the model's answer, the first unless another is asked for."""
    kind = kind_of(model)
    return (COSINE,) if kind.name == SIMILARITY else scalars_for(kind.function)


def reader_of(question: Question, target: Target) -> AnswerReader:
    """What reads F of this target."""
    if target.kind == SIMILARITY:
        return question.reader
    kind = question.kind
    if target.kind == OUTPUT_WORD:
        rows, produced = word_rows(question.reading)[target.index], question.reading.produced
        assert produced is not None
        return LogitReader(rows_of(kind, rows), tuple(produced.ids[row] for row in rows), None, question.scalar)
    if target.kind == SPAN:
        assert target.place is not None
        # Of an end all tokens are the alternatives.
        return LogitReader(rows_of(kind, (target.index,)), (target.place,), None, question.scalar)
    at = None if target.place is None else (target.place,)
    pick = next_token_logits if target.kind == NEXT_TOKEN else rows_of(kind, at)
    if target.kind == CHOICE:
        pick = among(kind, question.reading.scores, target.index)
    foil = None if target.foil is None else target.foil.index
    return LogitReader(pick, (target.index,), foil, question.scalar, question.function)


def groups_of(tokens: Tokens, by: str) -> tuple[tuple[int, ...], ...]:
    """Places of the tokens of each word, or each token by itself; special tokens are in none."""
    if by == TOKEN:
        return tuple((place,) for place, special in enumerate(tokens.special) if not special)
    units = tokens.merged()
    return tuple(m for m, special in zip(units.members, units.special, strict=True) if not special)


def labels_of(tokens: Tokens, groups: Sequence[tuple[int, ...]], by: str) -> tuple[str, ...]:
    """What each group shows."""
    if by == TOKEN:
        return tuple(tokens.labels[group[0]] for group in groups)
    units = tokens.merged()
    return tuple(word_label(label) for label, special in zip(units.labels, units.special, strict=True) if not special)


@torch.no_grad()
def _pooled(model: Model, text: str) -> Tensor:
    """The pooled states of another text (D,)."""
    inputs = model.inputs(model.read_tokens(model.encode_pooled(text)))
    answer: Any = model.network(**inputs)
    return model.pooling(answer.last_hidden_state, torch.ones_like(inputs["input_ids"]))[0]


def _notes(question: Question) -> list[str]:
    """What a reader has to know of this question."""
    tokens, found = question.tokens, []
    if question.target.kind == SIMILARITY and (prompt := question.model.pooling.prompt):
        found.append(f"sentence-transformers puts “{prompt}” before each text, and nothing is added here: type it.")
    if question.target.kind == SIMILARITY and (other := question.model.pooling.compares) != "cosine":
        found.append(f"sentence-transformers compares the two by “{other}”; what is explained here is their cosine.")
    if tokens.dropped:
        found.append(
            f"{question.model.name} reads {len(tokens):,} tokens: the last {tokens.dropped:,} of the text are left out."
        )
    at_most = question.scalar in (PROBABILITY, LOG_PROBABILITY) and question.probability > SATURATED
    at_least = question.scalar == PROBABILITY and question.probability < 1 - SATURATED
    if at_most or at_least:
        found.append(
            f"The probability is {question.probability:.4f}, so it hardly moves whatever changes: explain the margin."
        )
    if question.target.kind == CHOICE and len(question.reading.choices) > 1:
        found.append("The other choices keep the scores that they have with the whole text.")
    if len(question.groups) == 1:
        found.append("The text has one word, so there is nothing to rank: type more.")
    return found


def _require(given: str | None, known: Sequence[str], what: str) -> None:
    if given is not None and given not in known:
        raise HeadlightError(f"There is no {what} called {given[:40]!r}: choose one of {', '.join(known)}.")
