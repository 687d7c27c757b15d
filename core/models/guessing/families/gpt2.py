"""GPT-2."""

from __future__ import annotations

from collections.abc import Iterator

from core.models.guessing.asking import activation, epsilon, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS, PLACES = "wte.weight", "wpe.weight"
JOINT, INNER = "h.#.attn.c_attn.weight", "h.#.mlp.c_fc.weight"
_END = 50_256
# The width of its feed-forward layers where a config does not say it.
_TIMES = 4
_HEADS = (("score.weight", "GPT2ForSequenceClassification"), ("lm_head.weight", "GPT2LMHeadModel"))


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """A language model unless a classifying layer is there: its head is its table of words."""
    ids, width = tensors.shape(WORDS, 2)
    if tensors.shape(JOINT, 2) != (width, 3 * width):
        raise UnlikeError(JOINT)
    architecture, head = head_of(tensors, _HEADS, "GPT2LMHeadModel")
    sizes = {
        "vocab_size": ids,
        "n_embd": width,
        "n_layer": tensors.depth(JOINT, INNER),
        "n_positions": tensors.rows(PLACES, width),
    }
    inner = tensors.shape(INNER, 2)[1]
    sizes |= {} if inner == _TIMES * width else {"n_inner": inner}
    # The library's own ids of begin and end lie beyond a smaller vocabulary.
    special = {} if ids > _END else {"bos_token_id": None, "eos_token_id": None}
    questions = (
        heads("n_head", width), epsilon("layer_norm_epsilon", 1e-5), activation("activation_function", "gelu_new"),
    )  # fmt: skip
    labels = labels_of(tensors, "score.weight")
    yield Draft(
        "gpt2", architecture, sizes | special | labels, because(tensors, WORDS, PLACES, JOINT, head=head), questions
    )
