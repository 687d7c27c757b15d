"""OPT."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import activation, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS, PLACES = "decoder.embed_tokens.weight", "decoder.embed_positions.weight"
QUERY, INNER = "decoder.layers.#.self_attn.q_proj.weight", "decoder.layers.#.fc1.weight"
_CROSS = "decoder.layers.#.encoder_attn.q_proj.weight"
_HEADS = (
    ("score.weight", "OPTForSequenceClassification"),
    ("qa_outputs.weight", "OPTForQuestionAnswering"),
    ("lm_head.weight", "OPTForCausalLM"),
)
# The first two rows of its table of places are read by no token.
_UNREAD = 2
_USUAL = {2_560: 80}
_WIDE = 4_096


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """A language model unless another head is there: its head is its table of words."""
    if tensors.has(_CROSS):
        raise UnlikeError(_CROSS)
    ids, embedded = tensors.shape(WORDS, 2)
    width = tensors.shape(QUERY, 2)[1]
    architecture, head = head_of(tensors, _HEADS, "OPTForCausalLM")
    sizes = {
        "vocab_size": ids,
        "hidden_size": width,
        "word_embed_proj_dim": embedded,
        "num_hidden_layers": tensors.depth(QUERY, INNER),
        "ffn_dim": tensors.rows(INNER, width),
        "max_position_embeddings": tensors.rows(PLACES, width) - _UNREAD,
        "do_layer_norm_before": tensors.has("decoder.final_layer_norm.weight"),
        "enable_bias": tensors.has("decoder.layers.#.self_attn.q_proj.bias"),
    }
    questions = (
        heads("num_attention_heads", width, _USUAL.get(width, 128 if width >= _WIDE else 64)),
        activation("activation_function", "relu"),
    )
    labels = labels_of(tensors, "score.weight")
    yield Draft("opt", architecture, sizes | labels, because(tensors, WORDS, PLACES, QUERY, head=head), questions)
