"""GPT-2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.models.guessing.asking import activation, epsilon, heads
from core.models.guessing.heading import because, head_of, labels_of
from core.models.guessing.results import Draft, Question
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
    questions = heads("n_head", width), epsilon("layer_norm_epsilon", 1e-5), _activation(tensors)
    labels = labels_of(tensors, "score.weight")
    reason = because(tensors, WORDS, PLACES, JOINT, head=head)
    if tensors.turned:
        reason = f"{reason.removesuffix('.')}; {_because_of_linear(tensors)}"
    yield Draft("gpt2", architecture, sizes | special | labels, reason, questions)


def _activation(tensors: Tensors) -> Question:
    """nanoGPT has nn.GELU since it left masks to PyTorch; before, it had GPT-2's own, as minGPT has to this day."""
    asked = activation("activation_function", "gelu" if tensors.turned and not tensors.masks else "gelu_new")
    if not tensors.turned:
        return asked
    if tensors.masks:
        return replace(asked, why="It has no weights; minGPT, which keeps its masks in files as here, has this one.")
    return replace(asked, why="It has no weights; nanoGPT, whose files have no masks, has this one.")


def _because_of_linear(tensors: Tensors) -> str:
    """The rest of a reason, for a file that needs more than new names."""
    said = "nn.Linear keeps its matrices the other way round than GPT-2 (nanoGPT's and minGPT's do), so they are turned"
    if tensors.without:
        return f"{said}, and zeros stand for the biases that it was built without."
    # It has all biases and keeps no masks, and the queries, keys and values of a head side by side.
    return f"{said}." if tensors.masks else f"{said}; a gpt_bigcode model looks the same and needs its own config.json."
