"""T5, with its later form of gated feed-forward layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.asking import epsilon, heads
from core.models.guessing.heading import because
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS = ("shared.weight", "encoder.embed_tokens.weight")
QUERY = "encoder.block.#.layer.0.SelfAttention.q.weight"
BIAS = "encoder.block.#.layer.0.SelfAttention.relative_attention_bias.weight"
PLAIN, GATED = (f"encoder.block.#.layer.1.DenseReluDense.{name}.weight" for name in ("wi", "wi_0"))
CROSS = "decoder.block.#.layer.1.EncDecAttention.q.weight"


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """Both stacks, or the encoder alone. The table of relative positions has a column for each head."""
    words = next((name for name in WORDS if tensors.has(name)), WORDS[0])
    ids, width = tensors.shape(words, 2)
    inner = tensors.rows(QUERY, width)
    gated = tensors.has(GATED)
    sizes: dict[str, Any] = {
        "vocab_size": ids,
        "d_model": width,
        "num_layers": tensors.depth(QUERY),
        "d_ff": tensors.rows(GATED if gated else PLAIN, width),
        "feed_forward_proj": "gated-gelu" if gated else "relu",
    }
    counted, asked = _heads(tensors, inner)
    both = tensors.has(CROSS)
    sizes |= counted | ({"num_decoder_layers": tensors.depth(CROSS)} if both else {})
    sizes |= {"is_encoder_decoder": both} | ({"use_cache": False} if not both else {})
    reason = because(tensors, words, QUERY, BIAS, CROSS, head="lm_head.weight" if tensors.has("lm_head.weight") else "")
    questions = (*asked, epsilon("layer_norm_epsilon", 1e-6), *(_tied(tensors, gated) if both else ()))
    yield Draft("t5", "T5ForConditionalGeneration" if both else "T5EncoderModel", sizes, reason, questions)


def _heads(tensors: Tensors, inner: int) -> tuple[dict[str, int], tuple[Question, ...]]:
    if not tensors.has(BIAS):
        asked = heads("num_heads", inner)
        return {"d_kv": inner // asked.value}, (asked,)
    buckets, count = tensors.shape(BIAS, 2)
    if inner % count:
        raise UnlikeError(BIAS)
    return {"num_heads": count, "d_kv": inner // count, "relative_attention_num_buckets": buckets}, ()


def _tied(tensors: Tensors, gated: bool) -> tuple[Question, ...]:
    """Whether the head is the table of words, which scales the states before it."""
    untied = gated and tensors.has("lm_head.weight")
    why = "A head in the file may be the table of words once more; the gated form has one of its own."
    return (Question("tie_word_embeddings", not untied, (True, False), why),)
