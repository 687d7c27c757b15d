"""ALBERT, whose layers share their weights."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import activation, epsilon, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS = "embeddings.word_embeddings.weight"
_GROUP = "encoder.albert_layer_groups.#.albert_layers."
QUERY, INNER = f"{_GROUP}0.attention.query.weight", f"{_GROUP}0.ffn.weight"
# All published ones have a single layer of weights.
_MOST_LAYERS = 48


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The one network that has these names; how often it passes its layers is a question."""
    ids, embedded = tensors.shape(WORDS, 2)
    width = tensors.shape(QUERY, 2)[1]
    groups = tensors.depth(QUERY, INNER)
    inner = _inner(tensors)
    if groups * inner > _MOST_LAYERS:
        raise UnlikeError(_GROUP)
    pooled = tensors.has("pooler.weight")
    heads_known = (
        ("sop_classifier.classifier.weight", "AlbertForPreTraining"),
        ("predictions.dense.weight", "AlbertForMaskedLM"),
        ("qa_outputs.weight", "AlbertForQuestionAnswering"),
        ("classifier.weight", "AlbertForSequenceClassification" if pooled else "AlbertForTokenClassification"),
    )
    architecture, head = head_of(tensors, heads_known, "AlbertModel")
    sizes = {
        "vocab_size": ids,
        "embedding_size": embedded,
        "hidden_size": width,
        "num_hidden_groups": groups,
        "inner_group_num": inner,
        "intermediate_size": tensors.rows(INNER, width),
        "max_position_embeddings": tensors.rows("embeddings.position_embeddings.weight", embedded),
        "type_vocab_size": tensors.rows("embeddings.token_type_embeddings.weight", embedded),
    }
    passes = Question(
        "num_hidden_layers", 12 * groups, tuple(groups * n for n in (3, 6, 12, 24)),
        "The layers share their weights, so tensors do not tell how often they are passed; most ALBERTs do 12 times.",
    )  # fmt: skip
    questions = (
        heads("num_attention_heads", width), passes, epsilon("layer_norm_eps", 1e-12),
        activation("hidden_act", "gelu_new"),
    )  # fmt: skip
    reason = because(tensors, WORDS, QUERY, INNER, head=head)
    yield Draft("albert", architecture, sizes | labels_of(tensors, "classifier.weight"), reason, questions)


def _inner(tensors: Tensors) -> int:
    numbers = range(1, _MOST_LAYERS + 2)
    return next((n for n in numbers if not tensors.has(f"{_GROUP}{n}.attention.query.weight")), len(numbers))
