"""BLOOM."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import epsilon, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS, NORM = "word_embeddings.weight", "word_embeddings_layernorm.weight"
JOINT = "h.#.self_attention.query_key_value.weight"
_HEADS = (
    ("score.weight", "BloomForSequenceClassification"),
    ("classifier.weight", "BloomForTokenClassification"),
    ("lm_head.weight", "BloomForCausalLM"),
)
_WIDE = 4_096


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """A language model unless another head is there: its head is its table of words."""
    ids, width = tensors.shape(WORDS, 2)
    tensors.shape(NORM, 1)
    if tensors.shape(JOINT, 2) != (3 * width, width):
        raise UnlikeError(JOINT)
    architecture, head = head_of(tensors, _HEADS, "BloomForCausalLM")
    sizes = {"vocab_size": ids, "hidden_size": width, "n_layer": tensors.depth(JOINT)}
    questions = heads("n_head", width, 128 if width >= _WIDE else 64), epsilon("layer_norm_epsilon", 1e-5)
    labels = labels_of(tensors, "score.weight") or labels_of(tensors, "classifier.weight")
    yield Draft("bloom", architecture, sizes | labels, because(tensors, WORDS, NORM, JOINT, head=head), questions)
