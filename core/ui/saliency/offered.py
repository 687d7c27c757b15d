"""Which models the page offers, which texts it opens with, and which methods run at once."""

from __future__ import annotations

from core.models.shipped import shipped
from core.ui.examples import Example, examples_for
from core.ui.first_texts import text_of
from core.ui.model_menu import openable

FIRST = "sentiment-minilm-lora"
SENTIMENT = "sentiment"
# What an encoder without a head compares its text with, until somebody types another.
SECOND_TEXT = "A tired animal stayed on one side of the road."
# Shown before anybody chooses: one or two of each family, all of them quick.
AT_FIRST = (
    "attention",
    "rollout",
    "hidden_contribution",
    "decompx",
    "gradient_norm",
    "input_x_gradient",
    "integrated_gradients",
    "gradient_x_attention",
    "occlusion_attention",
    "occlusion_unknown",
    "deletion",
)


def models() -> list[str]:
    """Names of the models, sentiment classifiers first, of which the page opens with one; no model is left out."""
    names = openable()
    ranks = {each.name: each.rank for each in shipped() if each.group == SENTIMENT}
    main = sorted((name for name in names if ranks.get(name, 2) < 2), key=lambda name: (name != FIRST, ranks[name]))
    return [*main, *(name for name in names if name not in main)]


def examples_of(model: str) -> tuple[Example, ...]:
    """Texts to start from, for a model by its name."""
    return examples_for(model)


def first_text(model: str) -> str:
    """The text that opens with a model."""
    return text_of(model) or examples_of(model)[0].text
