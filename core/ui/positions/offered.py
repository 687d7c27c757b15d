"""What the page offers: views, models, and texts to start from."""

from __future__ import annotations

from core.ui.examples import MODEL, Example, examples_for
from core.ui.first_texts import text_of
from core.ui.model_menu import openable
from core.ui.positions.longer import longer_for

VIEWS = {
    "scheme": "The scheme",
    "pair": "Side by side",
    "model": "In the model",
    "beyond": "Beyond training",
    "order": "Does order matter?",
}
# Opened first; it has a learned table.
FIRST_MODEL = MODEL
FORMULA, MODEL_ITSELF = "formula", "model"
SOURCES = {FORMULA: "Formula", MODEL_ITSELF: "Open model"}
KINDS = {"cosine": "Cosines", "dot": "Dot products"}
# Short enough for eight of them in a row.
SHORT = {
    "none": "None",
    "sinusoidal": "Sinusoidal",
    "learned": "Learned",
    "shaw": "Shaw",
    "relative": "T5",
    "alibi": "ALiBi",
    "rotary": "Rotary",
    "deberta": "DeBERTa",
}
# The page opens with the first; of the second the effect on attention follows from no model.
FIRST_SCHEME, FIRST_BESIDE = "sinusoidal", "alibi"
# Of the twins, the one that has learned biases.
LEARNED_BIASES = "lm-relative"
TRANSLATOR = "zh-en-transformer"


def models() -> list[str]:
    """Names of the models of the menu."""
    return openable()


def examples_of(model: str) -> tuple[Example, ...]:
    """Texts to start from, for a model by its name."""
    return (*examples_for(model), *longer_for(model))


def first_of(view: str) -> tuple[str, str]:
    """Model and text that a view opens with, until somebody chooses others."""
    there = models()
    wanted = TRANSLATOR if view == "order" else FIRST_MODEL
    model = wanted if wanted in there else there[0]
    return model, first_text(model, view)


def first_text(model: str, view: str) -> str:
    """The text that opens with a model: of many words where a mean over them is shown."""
    if own := text_of(model):
        return own
    texts = [example.text for example in examples_of(model)]
    return max(texts, key=len) if view == "model" else texts[0]
