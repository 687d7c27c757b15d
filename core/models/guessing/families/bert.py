"""BERT and those that kept its names: RoBERTa, XLM-RoBERTa, ELECTRA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.asking import activation, epsilon, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors

WORDS = "embeddings.word_embeddings.weight"
PLACES = "embeddings.position_embeddings.weight"
KINDS = "embeddings.token_type_embeddings.weight"
QUERY = "encoder.layer.#.attention.self.query.weight"
INNER = "encoder.layer.#.intermediate.dense.weight"
_PROJECT = "embeddings_project.weight"
_BERT_HEADS = (
    ("cls.seq_relationship.weight", "BertForPreTraining"),
    ("cls.predictions.transform.dense.weight", "BertForMaskedLM"),
    ("qa_outputs.weight", "BertForQuestionAnswering"),
)
_ROBERTA_HEADS = (
    ("lm_head.dense.weight", "ForMaskedLM"),
    ("classifier.out_proj.weight", "ForSequenceClassification"),
    ("classifier.weight", "ForTokenClassification"),
    ("qa_outputs.weight", "ForQuestionAnswering"),
)
_ELECTRA_HEADS = (
    ("discriminator_predictions.dense.weight", "ElectraForPreTraining"),
    ("generator_predictions.dense.weight", "ElectraForMaskedLM"),
    ("classifier.out_proj.weight", "ElectraForSequenceClassification"),
    ("classifier.weight", "ElectraForTokenClassification"),
    ("qa_outputs.weight", "ElectraForQuestionAnswering"),
)
# The MiniLM encoders, of 384 in 12 heads, are far more frequent than any other BERT of that width.
_MINILM_WIDTH, _MINILM_HEAD = 384, 32
_XLM_IDS = 250_002


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """BERT first, unless something but the shapes speaks for another."""
    ids, embedded = tensors.shape(WORDS, 2)
    width = tensors.shape(QUERY, 2)[1]
    sizes: dict[str, Any] = {
        "vocab_size": ids,
        "hidden_size": width,
        "num_hidden_layers": tensors.depth(QUERY, INNER),
        "intermediate_size": tensors.rows(INNER, width),
        "max_position_embeddings": tensors.rows(PLACES, embedded),
        "type_vocab_size": tensors.rows(KINDS, embedded),
    }
    if embedded == width:
        yield _bert(tensors, sizes)
        yield from _robertas(tensors, sizes)
    electra = tensors.has(_PROJECT) or "electra" in tensors.prefixes
    if electra or any(tensors.has(name) for name, _ in _ELECTRA_HEADS[:2]):
        yield _electra(tensors, sizes | {"embedding_size": embedded})


def _questions(width: int, eps: float) -> tuple[Question, ...]:
    usual = _MINILM_HEAD if width == _MINILM_WIDTH else 64
    return heads("num_attention_heads", width, usual), epsilon("layer_norm_eps", eps), activation("hidden_act", "gelu")


def _bert(tensors: Tensors, sizes: dict[str, Any]) -> Draft:
    pooled = tensors.has("pooler.dense.weight")
    classifier = "BertForSequenceClassification" if pooled else "BertForTokenClassification"
    architecture, head = head_of(tensors, (*_BERT_HEADS, ("classifier.weight", classifier)), "BertModel")
    reason = because(tensors, WORDS, KINDS, QUERY, INNER, head=head)
    labels = labels_of(tensors, "classifier.weight")
    return Draft("bert", architecture, sizes | labels, reason, _questions(sizes["hidden_size"], 1e-12), 1)


def _robertas(tensors: Tensors, sizes: dict[str, Any]) -> Iterator[Draft]:
    ending, head = head_of(tensors, _ROBERTA_HEADS, "Model")
    reason = because(tensors, WORDS, KINDS, QUERY, INNER, head=head)
    labels = labels_of(tensors, "classifier.out_proj.weight") or labels_of(tensors, "classifier.weight")
    special = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    # RoBERTa counts places from 2 and knows one kind of text.
    signs = 2 * ("roberta" in tensors.prefixes) + (sizes["type_vocab_size"] == 1) + (
        sizes["max_position_embeddings"] % 64 == 2
    )  # fmt: skip
    own = _questions(sizes["hidden_size"], 1e-5)
    yield Draft("roberta", f"Roberta{ending}", sizes | labels | special, reason, own, signs)
    if sizes["vocab_size"] >= _XLM_IDS or "xlm_roberta" in tensors.prefixes:
        yield Draft("xlm-roberta", f"XLMRoberta{ending}", sizes | labels | special, reason, own, signs + 1)


def _electra(tensors: Tensors, sizes: dict[str, Any]) -> Draft:
    architecture, head = head_of(tensors, _ELECTRA_HEADS, "ElectraModel")
    reason = because(tensors, WORDS, _PROJECT, QUERY, INNER, head=head)
    labels = labels_of(tensors, "classifier.out_proj.weight") or labels_of(tensors, "classifier.weight")
    return Draft("electra", architecture, sizes | labels, reason, _questions(sizes["hidden_size"], 1e-12), 3)
