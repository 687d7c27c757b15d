"""The light beside erasure: whether a text with words gone is anything the model has learnt to read.

What a model says of texts unlike all it was trained on may be about the holes and not about the words. Training with
words dropped to the unknown token makes such texts familiar (methods.md 2.7). Where that is not known, one text can
raise doubt and cannot remove it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.saliency.baselines import UNKNOWN, lost_words, training_of
from core.saliency.question import Question

Level = Literal["in", "watch", "out"]
# So sure of a text without words that it cannot be for its words.
SURE_OF_NOTHING = 0.9
# So much surer after words were removed at random.
SURER = 0.1


@dataclass(frozen=True)
class Light:
    """How familiar erased texts are.

    level     "in": like texts of its training; "watch": not known; "out": the answers themselves show that they are not
    sentence  why, for the reader
    numbers   largest share of any answer, of the text whole, with half of its words removed at random (mean), and
              without words; empty for a similarity or a number
    """

    level: Level
    sentence: str
    numbers: Mapping[str, float]


def light_of(question: Question, way: str, whole: float, half: float, none: float) -> Light:
    """The light for words removed in a way.

    whole, half, none: how sure the model is, see `Light.numbers`; NaN for none where no text is left without words.
    """
    name = question.model.name
    if (measure := question.target.measure) != "probability":
        sentence = f"A {measure} does not say how sure it is, so nothing here tells whether erased texts are familiar."
        return Light("watch", sentence, {})
    numbers = {"whole": whole, "half": half, "none": none}
    if way == UNKNOWN and lost_words(question.model):
        return Light(
            "in",
            f"{name} was trained on texts that lost a share of their words to the unknown token, from none to all, so "
            "erased texts are familiar to it.",
            numbers,
        )
    if none >= SURE_OF_NOTHING:
        return Light(
            "out",
            f"{name} is {none:.0%} sure of its answer to no words at all: such texts are unlike those it learnt from, "
            "so read the curves with caution.",
            numbers,
        )
    if half - whole >= SURER:
        return Light(
            "out",
            f"{name} grows surer as words are removed at random ({whole:.0%} to {half:.0%} with half of them gone): "
            "such texts are unlike those it learnt from, so read the curves with caution.",
            numbers,
        )
    ends = "" if math.isnan(none) else f" and {none:.0%} with none left"
    trained = (
        f"Whether {name} was trained on texts with such holes is not known"
        if training_of(question.model) is None
        else f"{name} was not trained on texts with such holes"
    )
    return Light(
        "watch",
        f"{trained}, and one text cannot tell what that does. It is {whole:.0%} sure of the whole text, {half:.0%} "
        f"with half of the words gone at random{ends}.",
        numbers,
    )
