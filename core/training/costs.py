"""What a recipe costs: weights, memory and seconds, from constants measured on one of two cores of 2025.

Estimates are right to a factor of about two; the constants were fitted to runs of width 64 to 512, batches of 64 to
1,024 and 1 to 64 heads.
"""

from __future__ import annotations

from core.training.recipe import Recipe
from core.training.settings import Settings

GATES = {"tanh": 1, "lstm": 4, "gru": 3}
# Bytes of a float32 weight with its gradient and Adam's two averages.
BYTES_A_WEIGHT = 16
# float32 values that the backward pass needs for each token and unit of width: of a recurrent network and of a layer of
# the Transformer, with checkpointing fewer in all layers but one; and for each pair of tokens that is attended over.
KEPT_RECURRENT, KEPT_TRANSFORMER, KEPT_CHECKPOINTED, KEPT_PAIR = 26, 40, 16, 2
# Bytes that are taken whatever the recipe, such as the evaluation's.
FIXED_BYTES = 20 * 2**20

# Seconds of a step for each weight and token, forward and backward; for each unit of width and token; for each score of
# an attention head; to draw a pair; for each micro-batch and for each layer of a Transformer; and of Adam for a weight.
RECURRENT_WEIGHT, TRANSFORMER_WEIGHT = 5.3e-11, 2.6e-11
RECURRENT_WIDTH, TRANSFORMER_WIDTH = 1.1e-7, 4.5e-8
SCORE, PAIR, BATCH, LAYER, ADAM = 8e-9, 3e-5, 0.006, 0.003, 1.5e-8
RECOMPUTED = 1.35
# Of an evaluation: what does not grow, the pairs, and the share of a step's work without the backward pass.
EVALUATION, EVALUATED, FORWARD = 0.15, 64, 1 / 3


def weights(settings: Settings) -> int:
    """About how many weights the network has; the small tables of characters are left out."""
    square = settings.width**2
    if settings.is_transformer:
        return 28 * settings.layers * square
    gates = GATES[settings.cell]
    encoder = settings.layers * gates * (1.5 if settings.bidirectional else 2)
    decoder = 3 * gates + 5 if settings.attends else 2 * gates + 1
    return round((encoder + decoder) * square)


def weight_bytes(recipe: Recipe) -> int:
    """Memory of the weights, their gradients and Adam's averages."""
    return weights(recipe.settings) * BYTES_A_WEIGHT


def batch_bytes(recipe: Recipe) -> int:
    """Memory of what a micro-batch's backward pass needs."""
    settings, options = recipe.settings, recipe.options
    source, target = _longest(recipe)
    tokens, pairs = (source + target) / 2, source * target
    if settings.is_transformer:
        layer = KEPT_TRANSFORMER * tokens * settings.width + 3 * settings.heads * pairs
        again = KEPT_CHECKPOINTED * tokens * settings.width * settings.layers
        values = layer + again if options.checkpointing else layer * settings.layers
    else:
        values = settings.width * (KEPT_RECURRENT * tokens + (KEPT_PAIR * pairs if settings.attends else 0))
    return round(4 * values * options.batch_size) + FIXED_BYTES


def step_seconds(recipe: Recipe) -> float:
    """Of one optimiser step with all its micro-batches, on one core."""
    settings, options = recipe.settings, recipe.options
    sample = _sample_seconds(recipe) * (RECOMPUTED if options.checkpointing else 1)
    fixed = BATCH / 3 + LAYER * settings.layers if settings.is_transformer else BATCH
    return options.accumulate * (fixed + options.batch_size * (sample + PAIR)) + ADAM * weights(settings)


def evaluation_seconds(recipe: Recipe) -> float:
    """Of one evaluation, most of it the free writing; a Transformer reads all that it wrote again for each token."""
    again = _tokens(recipe) / 2 if recipe.settings.is_transformer else 1
    return EVALUATION + EVALUATED * FORWARD * _sample_seconds(recipe) * again


def _sample_seconds(recipe: Recipe) -> float:
    """Forward and backward for one pair."""
    settings, tokens = recipe.settings, _tokens(recipe)
    if settings.is_transformer:
        scores = 3 * settings.layers * settings.heads * tokens**2
        wide = TRANSFORMER_WIDTH * settings.width * settings.layers
        return tokens * (TRANSFORMER_WEIGHT * weights(settings) + wide) + SCORE * scores
    wide = RECURRENT_WIDTH * settings.width * (1 if settings.attends else 0.3)
    return tokens * (RECURRENT_WEIGHT * weights(settings) + wide)


def _longest(recipe: Recipe) -> tuple[int, int]:
    """Tokens of the longest source and target in training, </s> included."""
    task = recipe.toy
    if task.lengths:
        return task.lengths[1] + 1, task.lengths[1] + 1
    return task.longest + 1, len(task.shown.target) + 1


def _tokens(recipe: Recipe) -> float:
    """Tokens that a side of a batch is padded to, on average over the two sides."""
    source, target = _longest(recipe)
    return (source + target) / 2
