"""Headlight's own Transformer: classifier, language model or encoder-decoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.asking import heads, positions
from core.models.guessing.heading import because, labels_of
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WITHOUT_TABLE = ("sinusoidal", "rotary", "alibi", "none")


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The one network that has these names."""
    cross = "decoder.layers.#.cross_attention.query.weight"
    stack = "encoder" if tensors.has("encoder.tokens.weight") else "decoder"
    words, query = f"{stack}.tokens.weight", f"{stack}.layers.#.self_attention.query.weight"
    inner = f"{stack}.layers.#.feed_forward.expand.weight"
    ids, width = tensors.shape(words, 2)
    tensors.rows(query, width)
    both = stack == "encoder" and tensors.has(cross)
    head = "classifier.weight" if tensors.has("classifier.weight") else ""
    if stack == "decoder":
        architecture = "TransformerForCausalLM"
    else:
        architecture = "TransformerForConditionalGeneration" if both else "TransformerForSequenceClassification"
    sizes: dict[str, Any] = {
        "vocab_size": ids,
        "hidden_size": width,
        "num_hidden_layers": tensors.depth(query),
        "intermediate_size": tensors.rows(inner, width),
        "norm": "pre" if tensors.has(f"{stack}.last_norm.weight") else "post",
        "is_encoder_decoder": both,
        "tie_word_embeddings": architecture.endswith(("LM", "Generation")) and not tensors.has("lm_head.weight"),
    }
    sizes |= {"num_decoder_layers": tensors.depth(cross)} if both else {}
    placed, asked = _positions(tensors, f"{stack}.positions.table", width)
    scaled = Question("scaled", True, (True, False), "Dividing scores by a root has no weights; it is usual.")
    reason = because(tensors, words, query, f"{stack}.positions.table", cross, head=head)
    labels = labels_of(tensors, "classifier.weight")
    yield Draft("headlight_transformer", architecture, sizes | placed | labels, reason, (*asked, scaled))


def _positions(tensors: Tensors, table: str, width: int) -> tuple[dict[str, Any], tuple[Question, ...]]:
    """What a table tells of positions, and what is left to ask: a relative one has a column for each head."""
    count = heads("num_attention_heads", width, 32)
    if not tensors.has(table):
        scheme = Question(
            "positions", WITHOUT_TABLE[0], WITHOUT_TABLE, "These schemes have no weights; this is Headlight's first."
        )
        return {}, (count, scheme, positions(512))
    rows, columns = tensors.shape(table, 2)
    if columns == width:
        return {"positions": "learned", "max_position_embeddings": rows}, (count,)
    if width % columns:
        raise UnlikeError(table)
    return {"positions": "relative", "num_attention_heads": columns}, (positions(512),)
