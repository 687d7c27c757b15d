"""Llama and those that kept its names: Mistral, Qwen2, Qwen3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.asking import activation, epsilon, heads, positions, theta
from core.models.guessing.heading import because, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS = "embed_tokens.weight"
_ATTENTION = "layers.#.self_attn."
QUERY, KEY, OUTPUT = f"{_ATTENTION}q_proj.weight", f"{_ATTENTION}k_proj.weight", f"{_ATTENTION}o_proj.weight"
QUERY_BIAS, OUTPUT_BIAS, QUERY_NORM = (
    f"{_ATTENTION}q_proj.bias",
    f"{_ATTENTION}o_proj.bias",
    f"{_ATTENTION}q_norm.weight",
)
GATE = "layers.#.mlp.gate_proj.weight"
# From this width of all queries on, heads are usually 128 wide and not 64.
_WIDE = {"llama": 3_072, "mistral": 3_072, "qwen2": 1_024, "qwen3": 1_024}
# Mistral-7B: no Llama of this width has these feed-forward layers and an old vocabulary of 32 thousand.
_MISTRAL_INNER, _MISTRAL_IDS = 14_336, 33_000
_OWN_EPSILON = {"llama": 1e-5, "mistral": 1e-5, "qwen2": 1e-6, "qwen3": 1e-6}
_OWN_THETA = {"llama": 10_000.0, "mistral": 10_000.0, "qwen2": 1_000_000.0, "qwen3": 1_000_000.0}
_OWN_POSITIONS = {"llama": 4_096, "mistral": 32_768, "qwen2": 32_768, "qwen3": 32_768}
_CLASSES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """Biases and norms of queries tell Qwen from Llama; Mistral has Llama's very tensors and comes after it."""
    ids, width = tensors.shape(WORDS, 2)
    queries, keys = tensors.rows(QUERY, width), tensors.rows(KEY, width)
    if tensors.shape(OUTPUT, 2) != (width, queries):
        raise UnlikeError(OUTPUT)
    sizes = {
        "vocab_size": ids,
        "hidden_size": width,
        "num_hidden_layers": tensors.depth(QUERY, GATE),
        "intermediate_size": tensors.rows(GATE, width),
    }
    for kind in _kinds(tensors, sizes):
        count = _heads(tensors, kind, queries, keys)
        head_width = queries // count.value
        grouped = {"head_dim": head_width, "num_key_value_heads": keys // head_width}
        fixed = tensors.has(QUERY_NORM)
        asked = (*(() if fixed else (count,)), *_questions(kind))
        told = {count.name: count.value} if fixed else {}
        biased = {"attention_bias": tensors.has(QUERY_BIAS)} if kind in ("llama", "qwen3") else {}
        biased |= {"mlp_bias": tensors.has("layers.#.mlp.gate_proj.bias")} if kind == "llama" else {}
        yield from _headed(tensors, kind, sizes | grouped | told | biased, asked)


def _kinds(tensors: Tensors, sizes: dict[str, int]) -> tuple[str, ...]:
    if tensors.has(QUERY_NORM):
        return ("qwen3",)
    if tensors.has(QUERY_BIAS):
        return ("llama",) if tensors.has(OUTPUT_BIAS) else ("qwen2",)
    mistral = sizes["intermediate_size"] == _MISTRAL_INNER and sizes["vocab_size"] <= _MISTRAL_IDS
    return ("mistral", "llama") if mistral else ("llama", "mistral")


def _heads(tensors: Tensors, kind: str, queries: int, keys: int) -> Question:
    """The number of heads: Qwen3's norms are as wide as one, elsewhere it is a question."""
    if tensors.has(QUERY_NORM):
        (width,) = tensors.shape(QUERY_NORM, 1)
        if queries % width or keys % width:
            raise UnlikeError(QUERY_NORM)
        return Question("num_attention_heads", queries // width, (queries // width,), "The norm of queries tells.")
    return heads("num_attention_heads", queries, 128 if queries >= _WIDE[kind] else 64, group=keys)


def _questions(kind: str) -> tuple[Question, ...]:
    window = Question(
        "sliding_window", None, (None, 4_096), "A window has no weights; the later Mistrals have none."
    )  # fmt: skip
    common = (epsilon("rms_norm_eps", _OWN_EPSILON[kind]), activation("hidden_act", "silu"), theta(_OWN_THETA[kind]))
    return (*common, positions(_OWN_POSITIONS[kind]), *((window,) if kind == "mistral" else ()))


def _headed(tensors: Tensors, kind: str, sizes: dict[str, Any], questions: tuple[Question, ...]) -> Iterator[Draft]:
    def draft(ending: str, head: str, more: dict[str, Any], sign: int = 0) -> Draft:
        reason = because(tensors, WORDS, QUERY, KEY, QUERY_BIAS, QUERY_NORM, GATE, head=head)
        return Draft(kind, _CLASSES[kind] + ending, sizes | more, reason, questions, sign)

    if tensors.has("score.weight"):
        yield draft("ForSequenceClassification", "score.weight", labels_of(tensors, "score.weight"))
    elif tensors.has("lm_head.weight"):
        yield draft("ForCausalLM", "lm_head.weight", {"tie_word_embeddings": False})
    else:
        # Saved from a language model, names begin with "model."; it then has no head because its table of words is it.
        whole = 1 if "model" in tensors.prefixes else -1
        yield draft("ForCausalLM", "", {"tie_word_embeddings": True}, whole)
        yield draft("Model", "", {})
