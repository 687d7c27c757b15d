"""DistilBERT."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import activation, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft
from core.models.guessing.tensors import Tensors

WORDS = "embeddings.word_embeddings.weight"
QUERY = "layer.#.attention.q_lin.weight"
INNER = "layer.#.ffn.lin1.weight"
_HEADS = (
    ("vocab_transform.weight", "DistilBertForMaskedLM"),
    ("pre_classifier.weight", "DistilBertForSequenceClassification"),
    ("classifier.weight", "DistilBertForTokenClassification"),
    ("qa_outputs.weight", "DistilBertForQuestionAnswering"),
)


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The one network that has these names."""
    ids, width = tensors.shape(WORDS, 2)
    architecture, head = head_of(tensors, _HEADS, "DistilBertModel")
    sizes = {
        "vocab_size": ids,
        "dim": width,
        "n_layers": tensors.depth(QUERY, INNER),
        "hidden_dim": tensors.rows(INNER, width),
        "max_position_embeddings": tensors.rows("embeddings.position_embeddings.weight", width),
    }
    questions = heads("n_heads", width), activation("activation", "gelu")
    labels = labels_of(tensors, "classifier.weight")
    yield Draft("distilbert", architecture, sizes | labels, because(tensors, WORDS, QUERY, INNER, head=head), questions)
