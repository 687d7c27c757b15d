"""Making a question: what kind of answer a model gives, which of its answers is meant, and how it is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.capture import SOFTMAX
from core.errors import HeadlightError
from core.jobs import Job
from core.models.answers import function_of
from core.models.generation import GREEDY, Decoding
from core.models.model import Model
from core.models.out_of_memory import memory_worded
from core.saliency.answers import (
    AnswerReader,
    LogitReader,
    SimilarityReader,
    label_logits,
    logits_at,
    next_token_logits,
)
from core.saliency.baselines import BASELINES, default_baseline
from core.saliency.blindness import blind
from core.saliency.question import Question
from core.saliency.runner import finite
from core.saliency.scalars import COSINE, LOG_PROBABILITY, PROBABILITY, scalars_for
from core.saliency.target import LABEL, NEXT_TOKEN, OUTPUT_WORD, SIMILARITY, Target
from core.saliency.targets import Wanted, chosen_target, targets_of, word_label, word_rows
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
    answer       what an encoder-decoder is made to say; None for its own answer, written by `decoding`
    Raises HeadlightError, one sentence, for what cannot be explained.
    """
    _require(baseline, BASELINES, "baseline")
    _require(aggregation, AGGREGATIONS, "aggregation")
    _require(by, (WORD, TOKEN), "unit")
    kind = kind_of(model)
    compared = kind == SIMILARITY
    offered = scalars_of(model)
    _require(scalar, offered, "scalar")
    if compared and not (text_pair or "").strip():
        raise HeadlightError(
            f"{model.name} has no head that answers anything: give a second text, to explain how alike the two are."
        )
    if compared and model.pooling.refused:
        raise HeadlightError(model.pooling.refused)
    tokens = model.encode_pooled(text) if compared else model.encode(text, text_pair)
    reading = model.read_tokens(tokens, target=answer, decoding=decoding, job=job)
    groups = groups_of(reading.tokens, by)
    if not groups:
        raise HeadlightError("The text has no word of its own, only special tokens: type at least one word.")
    found = Question(
        model=model,
        reading=reading,
        target=Target(kind, 0, ""),
        targets=(),
        scalar=scalar or offered[0],
        baseline=baseline or default_baseline(model),
        aggregation=aggregation or L2,
        by=by,
        groups=groups,
        labels=labels_of(reading.tokens, groups, by),
        reader=SimilarityReader(_pooled(model, text_pair or ""), model.pooling)
        if compared
        else LogitReader(label_logits, (0,), None, offered[0]),
        function=_function(model),
    )
    return _settled(found, target)


def _settled(question: Question, wanted: Wanted) -> Question:
    """The question with its target, what F and its probability are, and what is to be said about it."""
    mask = question.attention_mask()
    with memory_worded(question.model.name, question.model.device):
        plain = question.answer_ids(question.input_ids(), mask)
    finite(plain[0], "forwards")
    targets = targets_of(question, plain)
    target = chosen_target(question, targets, wanted, plain)
    reader = reader_of(question, target)
    value, probability = (float(read(plain, mask)[0]) for read in (reader.scalar, reader.probability))
    settled = replace(
        question, target=target, targets=targets, reader=reader, value=value, probability=probability,
    )  # fmt: skip
    return replace(settled, blind=blind(settled), notes=tuple(_notes(settled)))


def kind_of(model: Model) -> str:
    """What the model answers. Raises HeadlightError for answers that no method here explains."""
    network, name = model.network, type(model.network).__name__
    if name.endswith("ForSequenceClassification"):
        return LABEL
    if name.endswith("ForTokenClassification"):
        raise HeadlightError(f"{model.name} labels every token by itself: choose a model with one answer for the text.")
    if network.config.is_encoder_decoder:
        if network.can_generate():
            return OUTPUT_WORD
        raise HeadlightError(f"{model.name} has no head to write with: choose a model that answers something.")
    if network.can_generate():
        return NEXT_TOKEN
    if "MaskedLM" in name or name.endswith("ForPreTraining"):
        raise HeadlightError(f"{model.name} fills in masked words: choose a classifier, or a model that writes.")
    return SIMILARITY


def scalars_of(model: Model) -> tuple[str, ...]:
    """What can be explained of the model's answer, the first unless another is asked for."""
    return (COSINE,) if kind_of(model) == SIMILARITY else scalars_for(_function(model))


def _function(model: Model) -> str:
    return function_of(model.network.config) if kind_of(model) == LABEL else SOFTMAX


def reader_of(question: Question, target: Target) -> AnswerReader:
    """What reads F of this target."""
    if target.kind == SIMILARITY:
        return question.reader
    if target.kind == OUTPUT_WORD:
        rows, produced = word_rows(question.reading)[target.index], question.reading.produced
        assert produced is not None
        return LogitReader(logits_at(rows), tuple(produced.ids[row] for row in rows), None, question.scalar)
    pick = label_logits if target.kind == LABEL else next_token_logits
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
    if len(question.groups) == 1:
        found.append("The text has one word, so there is nothing to rank: type more.")
    return found


def _require(given: str | None, known: Sequence[str], what: str) -> None:
    if given is not None and given not in known:
        raise HeadlightError(f"There is no {what} called {given[:40]!r}: choose one of {', '.join(known)}.")
