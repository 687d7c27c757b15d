"""Headlight's own recurrent encoder-decoder, with attention or without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.models.guessing.heading import because
from core.models.guessing.results import Draft, Question
from core.models.guessing.tensors import Tensors, UnlikeError

WORDS, STATES = "encoder.embedding.weight", "decoder.cell.weight_hh"
LAYER, BACKWARDS = "encoder.layers.stack.#.weight_hh_l0", "encoder.layers.stack.#.weight_hh_l0_reverse"
_SCORE = "decoder.attention.score"
OF_BOTH, OF_QUERY, OF_STATE, TOTAL = (
    f"{_SCORE}.{name}.weight" for name in ("of_both", "of_query", "of_state", "total")
)
READOUT = "decoder.readout.of_both.weight"
# Gates of a cell, one block of rows each.
CELLS = {1: "tanh", 3: "gru", 4: "lstm"}


def candidates(tensors: Tensors) -> Iterator[Draft]:
    """The scores that have weights tell themselves; those without are a question."""
    ids, embedded = tensors.shape(WORDS, 2)
    rows, width = tensors.shape(STATES, 2)
    if rows % width or rows // width not in CELLS:
        raise UnlikeError(STATES)
    gates = rows // width
    fed = tensors.shape("decoder.cell.weight_ih", 2)[1] - embedded
    both = tensors.has(BACKWARDS)
    encoder = tensors.shape(LAYER, 2)[1] * (2 if both else 1)
    sizes: dict[str, Any] = {
        "vocab_size": ids,
        "hidden_size": width,
        "embedding_size": embedded,
        "cell": CELLS[gates],
        "num_hidden_layers": tensors.depth(LAYER),
        "bidirectional": both,
        "start": "encoder" if tensors.has("decoder.start.0.weight") else "zero",
        "tie_word_embeddings": not tensors.has("lm_head.weight"),
    }
    sizes |= {} if encoder == width else {"encoder_size": encoder}
    reason = because(tensors, WORDS, STATES, LAYER, OF_QUERY, OF_STATE, OF_BOTH, READOUT)
    scores = _scores(tensors, fed)
    # Whether the output before is fed follows from the score, unless the cell is too narrow for it.
    more: dict[str, Any] = {} if fed > 0 else {"input_feeding": False}
    more |= {"readout": scores == ("none",) or tensors.has(READOUT)}
    if len(scores) == 1:
        more |= {"attention": scores[0]}
        questions: tuple[Question, ...] = ()
    else:
        why = "These scores have no weights; the first is the usual one."
        questions = (Question("attention", scores[0], scores, why),)
    yield Draft("headlight_recurrent", "RecurrentForConditionalGeneration", sizes | more, reason, questions)


def _scores(tensors: Tensors, fed: int) -> tuple[str, ...]:
    query, state, total = tensors.has(OF_QUERY), tensors.has(OF_STATE), tensors.has(TOTAL)
    if tensors.has(OF_BOTH):
        return ("concat",)
    if query and state:
        # Local attention has the same names; its decoder reads a state that is fed the output before, or nothing.
        return ("additive", "local") if fed > 0 else ("local",)
    if state:
        return ("general",)
    if total:
        return ("sum",)
    return ("none",) if fed == 0 and not tensors.has(READOUT) else ("dot", "uniform")
