"""Comparisons: two recipes that differ in one thing whose effect is worth seeing, run over the same examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.errors import HeadlightError
from core.training.defaults import default_recipe
from core.training.recipe import Recipe

# At this constant rate a Transformer of two layers learns copy and reverse within 400 steps if it is Pre-LN (loss 0.01
# to 0.12 over five runs) or Post-LN with its warm-up (0.10 to 0.39); Post-LN without stays near chance (2.6 to 2.9).
PEAK, WARMUP, LAYERS = 1e-2, 100, 2
_COLD = ("norm", "layers", "schedule", "learning_rate", "warmup")
PARTS = 8


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side.

    labels: what the two runs are called.
    pair: the two recipes for the recipe on the page, which becomes the default Transformer, on the same task and seed,
    where the comparison is about one and the page has another network. Raises HeadlightError where the recipe cannot
    be compared.
    fixes: names of the values that `pair` sets, whatever the recipe has; all others are the recipe's own.
    """

    name: str
    title: str
    summary: str
    labels: tuple[str, str]
    pair: Callable[[Recipe], tuple[Recipe, Recipe]]
    fixes: tuple[str, ...] = ()


def _transformer(recipe: Recipe) -> Recipe:
    """The recipe itself if it trains a Transformer, else the default Transformer on the same task and seed."""
    if recipe.settings.is_transformer:
        return recipe
    default = default_recipe(recipe.task, "transformer")
    return replace(default, options=replace(default.options, seed=recipe.options.seed))


def _warmup(recipe: Recipe) -> tuple[Recipe, Recipe]:
    cold = _cold(recipe, "post")
    return replace(cold, options=replace(cold.options, warmup=WARMUP)), cold


def _norm(recipe: Recipe) -> tuple[Recipe, Recipe]:
    return _cold(recipe, "pre"), _cold(recipe, "post")


def _cold(recipe: Recipe, norm: str) -> Recipe:
    """A Transformer deep enough, at a rate high enough, for the place of LayerNorm to matter without warm-up."""
    base = _transformer(recipe)
    return replace(
        base,
        settings=replace(base.settings, norm=norm, layers=LAYERS),
        options=replace(base.options, schedule="constant", learning_rate=PEAK, warmup=0),
    )


def _scale(recipe: Recipe) -> tuple[Recipe, Recipe]:
    base = _transformer(recipe)
    base = replace(base, settings=replace(base.settings, heads=1))
    return (
        replace(base, settings=replace(base.settings, scaled=True)),
        replace(base, settings=replace(base.settings, scaled=False)),
    )


def _accumulation(recipe: Recipe) -> tuple[Recipe, Recipe]:
    total = recipe.options.batch_size
    if total % PARTS:
        raise HeadlightError(
            f"A batch of {total} cannot be cut into {PARTS} equal parts: choose a multiple of {PARTS}."
        )
    # Dropout draws differ between one batch and its parts, so that only without it the two learn the same.
    recipe = replace(recipe, settings=replace(recipe.settings, dropout=0.0))
    return (
        replace(recipe, options=replace(recipe.options, accumulate=1)),
        replace(recipe, options=replace(recipe.options, batch_size=total // PARTS, accumulate=PARTS)),
    )


def _heads(recipe: Recipe) -> tuple[Recipe, Recipe]:
    base = _transformer(recipe)
    return (
        replace(base, settings=replace(base.settings, heads=1)),
        replace(base, settings=replace(base.settings, heads=8)),
    )


def _attention(recipe: Recipe) -> tuple[Recipe, Recipe]:
    """A recurrent network with the attention chosen, or the additive one, and the same network without any."""
    recurrent = not recipe.settings.is_transformer and recipe.settings.attends
    base = recipe if recurrent else default_recipe(recipe.task, "additive")
    base = replace(base, options=replace(base.options, seed=recipe.options.seed))
    return base, replace(base, settings=replace(base.settings, architecture="none"))


COMPARISONS: dict[str, Comparison] = {
    comparison.name: comparison
    for comparison in (
        Comparison(
            "attention",
            "Attention on and off",
            "Without attention the whole source must fit into one vector: long strings are lost, short ones are not.",
            ("with attention", "without attention"),
            _attention,
        ),
        Comparison(
            "warmup",
            "Warm-up on and off",
            "A Post-LN Transformer at a high learning rate: reached slowly, it learns; at once, it stays at chance.",
            ("warm-up", "no warm-up"),
            _warmup,
            _COLD,
        ),
        Comparison(
            "norm",
            "Pre-LN and Post-LN",
            "LayerNorm before each sublayer or after each sum: at a high rate without warm-up only Pre-LN learns.",
            ("Pre-LN", "Post-LN"),
            _norm,
            _COLD,
        ),
        Comparison(
            "scale",
            "Scaled and unscaled scores",
            "Scores divided by the root of the head's width, or not: unscaled, softmax starts near one-hot, and Reverse"
            " is learnt much later.",
            ("scaled", "unscaled"),
            _scale,
            ("heads", "scaled"),
        ),
        Comparison(
            "accumulation",
            "Accumulation 1 and 8",
            "One batch at once, or in eighths whose gradients are added: it learns the same, slower. Dropout is off.",
            ("one batch", "8 parts"),
            _accumulation,
            ("accumulate", "dropout"),
        ),
        Comparison(
            "heads",
            "1 and 8 heads",
            "One wide head or eight narrow ones, with as many weights: these tasks need one, and eight take more time.",
            ("1 head", "8 heads"),
            _heads,
            ("heads",),
        ),
    )
}
