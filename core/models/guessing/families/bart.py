"""BART, and Marian, which lacks the norm after the embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.asking import activation, heads, positions
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors

WORDS = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
PLACES = "encoder.embed_positions.weight"
NORM = "encoder.layernorm_embedding.weight"
QUERY, CROSS = "encoder.layers.#.self_attn.q_proj.weight", "decoder.layers.#.encoder_attn.q_proj.weight"
_INNER = ("encoder.layers.#.fc1.weight", "decoder.layers.#.fc1.weight")
# The first two rows of BART's table of places are read by no token.
_UNREAD = 2


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """BART where its norm is there, else Marian."""
    words = next((name for name in WORDS if tensors.has(name)), WORDS[0])
    ids, width = tensors.shape(words, 2)
    sizes: dict[str, Any] = {
        "vocab_size": ids,
        "d_model": width,
        "encoder_layers": tensors.depth(QUERY),
        "decoder_layers": tensors.depth(CROSS),
        "encoder_ffn_dim": tensors.rows(_INNER[0], width),
        "decoder_ffn_dim": tensors.rows(_INNER[1], width),
    }
    yield _bart(tensors, words, sizes) if tensors.has(NORM) else _marian(tensors, words, sizes)


def _bart(tensors: Tensors, words: str, sizes: dict[str, Any]) -> Draft:
    known = (
        ("classification_head.dense.weight", "BartForSequenceClassification"),
        ("qa_outputs.weight", "BartForQuestionAnswering"),
        ("lm_head.weight", "BartForConditionalGeneration"),
        ("final_logits_bias", "BartForConditionalGeneration"),
    )
    architecture, head = head_of(tensors, known, "BartModel")
    rows = {"max_position_embeddings": tensors.rows(PLACES, sizes["d_model"]) - _UNREAD}
    labels = labels_of(tensors, "classification_head.out_proj.weight")
    questions = (*_heads(sizes["d_model"]), activation("activation_function", "gelu"), _scaled(False))
    reason = because(tensors, words, NORM, QUERY, CROSS, head=head)
    return Draft("bart", architecture, sizes | rows | labels, reason, questions)


def _marian(tensors: Tensors, words: str, sizes: dict[str, Any]) -> Draft:
    known = (("final_logits_bias", "MarianMTModel"), ("lm_head.weight", "MarianMTModel"))
    architecture, head = head_of(tensors, known, "MarianModel")
    # Its places are sines and cosines, which not every file has.
    table = tensors.has(PLACES)
    rows = {"max_position_embeddings": tensors.rows(PLACES, sizes["d_model"])} if table else {}
    special = {"pad_token_id": sizes["vocab_size"] - 1, "decoder_start_token_id": sizes["vocab_size"] - 1}
    questions = (
        *_heads(sizes["d_model"]), activation("activation_function", "silu"), _scaled(True),
        *(() if table else (positions(512),)),
    )  # fmt: skip
    reason = because(tensors, words, QUERY, CROSS, head=head)
    return Draft("marian", architecture, sizes | rows | special, reason, questions)


def _heads(width: int) -> tuple[Question, ...]:
    return heads("encoder_attention_heads", width), heads("decoder_attention_heads", width)


def _scaled(value: bool) -> Question:
    return Question("scale_embedding", value, (True, False), "A factor has no weights; this is the family's own.")
