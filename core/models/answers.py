"""Kinds of answer: what a network's head says, how its logits are read, and what a run shows of them.

Shapes: N texts, T tokens, K labels or choices, V vocabulary.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.models.auto import modeling_auto as auto

from core.capture import NUMBER, SIGMOID, SOFTMAX, NextTokens, Output, likeliest_next, shares_of
from core.models.reading import Reading
from core.text import Tokens

LABEL, TOKEN_LABEL, SPAN, MASKED_WORD = "label", "token label", "span", "masked word"
NEXT_TOKEN, OUTPUT_WORD, SIMILARITY, UNKNOWN = "next token", "output word", "similarity", "unknown"
CHOICE = "choice"
# What the decoder of an encoder-decoder reads is told in these alone; to answer otherwise it reads the text again.
TOLD = (OUTPUT_WORD, SIMILARITY, UNKNOWN)
START, END = 0, 1
LIKELIEST = 10
# Tokens of the longest span that is an answer, as in the library's examples.
LONGEST_SPAN = 30
_DISCRIMINATOR = ("replaced",)


@dataclass(frozen=True)
class AnswerKind:
    """What a network's head says.

    name      "label" of a text or a pair, "token label" of each token, "span" from a start to an end, "masked word",
              "choice" among texts, "next token", "output word" of an encoder-decoder, "similarity" of states where
              there is no head, or "unknown"
    logits    of an answer to N texts: (N, K), a row a token (N, T, K) or (N, T, V), of a span (N, 2, T), of a choice
              (N, 1)
    function  what makes probabilities of them
    names     of the labels
    of_pairs  whether it says something of two texts alone
    says      of an unknown kind what the network gives instead
    """

    name: str
    logits: Callable[[Any], Tensor]
    function: str = SOFTMAX
    names: tuple[str, ...] = ()
    of_pairs: bool = False
    says: str = ""

    @property
    def of_one_token(self) -> bool:
        """Whether each token has an answer of its own, so that one is chosen to be asked about."""
        return self.name in (TOKEN_LABEL, SPAN, MASKED_WORD)

    @property
    def of_two_texts(self) -> bool:
        """Whether it is made for a question and what it is asked about, or for a text and what goes on from it."""
        return self.of_pairs or self.name in (SPAN, CHOICE)


def answer_kind(network: PreTrainedModel) -> AnswerKind:
    """What the network's head says, by the task that the library registers its class for."""
    config = network.config
    if network.can_generate() and getattr(config, "causal", None) is not False:
        return AnswerKind(OUTPUT_WORD if config.is_encoder_decoder else NEXT_TOKEN, _logits)
    if _is_one(network, auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING):
        return AnswerKind(LABEL, _logits, function_of(config), _labels(config))
    if _is_one(network, auto.MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING):
        return AnswerKind(LABEL, _logits, SOFTMAX, ("is next", "is not next"), of_pairs=True)
    if _is_one(network, auto.MODEL_FOR_MULTIPLE_CHOICE_MAPPING):
        return AnswerKind(CHOICE, _logits)
    if _is_one(network, auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING):
        return AnswerKind(TOKEN_LABEL, _logits, function_of(config), _labels(config))
    fields = fields_answered(network)
    if _is_one(network, auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING) or "relevance_logits" in fields:
        return AnswerKind(SPAN, _ends, SOFTMAX, ("start", "end"))
    if _is_one(network, auto.MODEL_FOR_PRETRAINING_MAPPING) and hasattr(network, "discriminator_predictions"):
        return AnswerKind(TOKEN_LABEL, lambda answer: _logits(answer)[..., None], SIGMOID, _DISCRIMINATOR)
    if _is_one(network, auto.MODEL_FOR_MASKED_LM_MAPPING):
        return AnswerKind(MASKED_WORD, _logits)
    if "prediction_logits" in fields:
        return AnswerKind(MASKED_WORD, lambda answer: answer.prediction_logits)
    if "pooler_output" in fields and "last_hidden_state" not in fields:
        return AnswerKind(UNKNOWN, _first, says="gives one vector for a text, which another network's are held against")
    if _is_one(network, auto.MODEL_FOR_TABLE_QUESTION_ANSWERING_MAPPING):
        return AnswerKind(UNKNOWN, _first, says="selects cells of a table")
    headless = _is_one(network, auto.MODEL_MAPPING) or _is_one(network, auto.MODEL_FOR_TEXT_ENCODING_MAPPING)
    if headless or "last_hidden_state" in fields:
        return AnswerKind(SIMILARITY, _first)
    return AnswerKind(UNKNOWN, _first, says="gives an answer that no method here knows")


def read_one_choice(network: PreTrainedModel) -> None:
    """Let a network that chooses among texts be given one of them at a time, as any other: (N, T) -> (N, 1, T)."""
    if answer_kind(network).name == CHOICE:
        network.register_forward_pre_hook(_as_one_choice, with_kwargs=True)


def _as_one_choice(network: Any, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
    texts = given.get("input_ids")
    single = given["inputs_embeds"].dim() == 3 if texts is None else texts.dim() == 2
    batched = ("input_ids", "attention_mask", "token_type_ids", "inputs_embeds")
    return args, {name: value[:, None] if single and name in batched else value for name, value in given.items()}


def _is_one(network: PreTrainedModel, mapping: Any) -> bool:
    """Whether a mapping of the library has the network's class for its config."""
    found = mapping.get(type(network.config), ())
    return type(network) in (found if isinstance(found, list | tuple) else (found,))


def fields_answered(network: PreTrainedModel) -> set[str]:
    """Names in what the network's forward says that it returns."""
    said = inspect.signature(network.forward).return_annotation
    each = getattr(said, "__args__", (said,))
    return {name for one in each for name in getattr(one, "__dataclass_fields__", ())}


def _labels(config: PreTrainedConfig) -> tuple[str, ...]:
    named: dict[Any, Any] = config.id2label or {}
    return tuple(str(named.get(i, i)) for i in range(config.num_labels or 2))


def _logits(answer: Any) -> Tensor:
    found: Tensor = answer.logits
    return found


def _ends(answer: Any) -> Tensor:
    """(N, T) and (N, T) -> (N, 2, T)."""
    return torch.stack([answer.start_logits, answer.end_logits], dim=1)


def _first(answer: Any) -> Tensor:
    found: Tensor = answer[0]
    return found


def function_of(config: PreTrainedConfig) -> str:
    """What makes probabilities of a classifier's logits, as the library's pipeline for texts decides it."""
    problem = getattr(config, "problem_type", None)
    if problem == "regression":
        return NUMBER
    return SIGMOID if problem == "multi_label_classification" or config.num_labels == 1 else SOFTMAX


def output_of(
    network: PreTrainedModel, answer: Any, label_of: Callable[[int], str], reading: Reading, mask: int | None
) -> Output:
    """The answer to one text. label_of: how a token id is shown; mask: the id of the mask, where there is one."""
    kind = answer_kind(network)
    first = kind.logits(answer)[0].detach().float()
    if kind.name == LABEL:
        missing = kind.of_pairs and reading.tokens.text_pair is None
        likeliest = () if missing else _likeliest(first, kind.function, kind.names.__getitem__)
        return Output("labels", _fetched(first), kind.names, likeliest, function=kind.function)
    if kind.name == CHOICE:
        scores = torch.tensor(reading.scores)  # (K,)
        names = reading.choices
        return Output("choices", scores, names, _likeliest(scores, SOFTMAX, names.__getitem__) if names else ())
    if kind.name in (NEXT_TOKEN, OUTPUT_WORD):
        last = first[-1]  # (T, V) -> (V,)
        return Output("next tokens", _fetched(last), (), _likeliest(last, SOFTMAX, label_of), reading.written)
    if kind.name == TOKEN_LABEL:
        return Output("token labels", _fetched(first), kind.names, function=kind.function)
    if kind.name == SPAN:
        spans = best_spans(first, reading.tokens)
        likeliest = tuple((span_text(reading.tokens, start, end), share) for start, end, share in spans)
        return Output("span", _fetched(first), kind.names, likeliest)
    if kind.name == MASKED_WORD and mask in reading.tokens.ids:
        at = first[reading.tokens.ids.index(mask)]  # (T, V) -> (V,)
        return Output("masked words", _fetched(at), (), _likeliest(at, SOFTMAX, label_of))
    return Output("hidden states" if "last_hidden_state" in answer else "token logits", _fetched(first))


def best_spans(logits: Tensor, tokens: Tokens, most: int = LIKELIEST) -> tuple[tuple[int, int, float], ...]:
    """First and last token of the most probable answers, and the product of their probabilities; logits: (2, T).

    An answer lies in the second text where there is one, which a question is asked about, and has no special token.
    """
    context = 0 if tokens.text_pair is None else 1
    places = [place for place, of in enumerate(tokens.sequences) if of == context and not tokens.special[place]]
    starts, ends = torch.softmax(logits.double(), dim=-1)[:, places]  # (2, T) -> 2 of (P,)
    products = torch.triu(starts[:, None] * ends).tril(LONGEST_SPAN - 1)  # (P, 1) * (P,) -> (P, P)
    best, found = products.flatten().topk(min(most, len(places) * (len(places) + 1) // 2))
    pairs = [(int(i) // len(places), int(i) % len(places)) for i in found]
    return tuple(
        (places[i], places[j], float(share)) for (i, j), share in zip(pairs, best.tolist(), strict=True) if share > 0
    )


def span_text(tokens: Tokens, start: int, end: int) -> str:
    """The characters from a token to another of the same text."""
    text = tokens.text_pair if tokens.sequences[start] == 1 else tokens.text
    first, last = tokens.spans[start], tokens.spans[end]
    return "" if first is None or last is None else (text or "")[first[0] : last[1]].strip()


def predicted_by(answer: Any, label_of: Callable[[int], str]) -> tuple[str, ...]:
    """The most probable next token after each row, as it is shown."""
    best = answer.logits[0].argmax(dim=-1).tolist()  # (1, T, vocabulary) -> (T,)
    labels = {token: label_of(token) for token in set(best)}
    return tuple(labels[token] for token in best)


def following_of(
    network: PreTrainedModel, answer: Any, reading: Reading, label_of: Callable[[int], str]
) -> NextTokens | None:
    """What an encoder-decoder may say after each token that its decoder read; None where not all logits were kept."""
    logits = getattr(answer, "logits", None)
    if reading.decoder is None or reading.produced is None or logits is None or not network.can_generate():
        return None
    if logits.shape[1] != len(reading.decoder):
        return None
    return likeliest_next(logits[0], reading.produced.ids, label_of)


def _likeliest(logits: Tensor, function: str, name_of: Callable[[int], str]) -> tuple[tuple[str, float], ...]:
    """The most probable first; numbers that are no probabilities have no order but the network's."""
    if function == NUMBER:
        return tuple((name_of(place), float(value)) for place, value in enumerate(logits[:LIKELIEST].cpu()))
    shares = shares_of(logits, function)
    values, places = shares.topk(min(LIKELIEST, len(shares)))
    return tuple((name_of(int(i)), float(v)) for v, i in zip(values.cpu(), places.cpu(), strict=True))


def _fetched(tensor: Tensor) -> Tensor:
    """A copy of its own: what it was cut from may be a thousand times larger."""
    return tensor.detach().float().cpu().clone()
