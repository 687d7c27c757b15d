"""Texts to start from: for the default model each with a head and a line that says what to look for; others by task.

The lines are true of the default model; `tests/ui/test_examples.py` holds them to its numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A text, the layer and head to open with it, and what the reader should look at.

    slug: its name in addresses; query: position of the token whose row is marked.
    models: parts of names, one of which the models have that it is meant for; () for all that no other is meant for.
    """

    slug: str
    title: str
    text: str
    layer: int = 0
    head: int = 0
    hint: str = "This example is meant for other models: nothing is known of this head."
    query: int | None = None
    models: tuple[str, ...] = ()


# The model whose heads the hints speak of.
MODEL = "all-MiniLM-L6-v2"
TO_FRENCH, FROM_CHINESE = ("en-fr",), ("zh-en",)
OF_REVIEWS, OF_LANGUAGE = ("sentiment", "sst-2"), ("lm",)

EXAMPLES = (
    Example(
        slug="pronoun",
        title="Pronoun",
        text="The animal didn't cross the street because it was too tired.",
        layer=3,
        head=1,
        hint="“it” gives more than half of its weight to “animal”.",
        query=10,
    ),
    Example(
        slug="noun-phrases",
        title="Noun phrases",
        text="The tired old dog chased a small cat across the garden.",
        layer=2,
        head=8,
        hint="“old”, “a” and “small” each give their largest weight to the noun that they belong to.",
    ),
    Example(
        slug="repeated-words",
        title="Repeated words",
        text="the cat and the dog and the the bird",
        layer=0,
        head=2,
        hint="Every word gives its largest weight to the word before it; the four words “the” are four tokens.",
    ),
    Example(
        slug="chinese-and-emoji",
        title="中文 and emoji",
        text="猫追老鼠 🐱🐭 means: the cat chases the mouse",
        layer=0,
        head=2,
        hint="Each token gives its largest weight to the one before, even where the model does not know the character.",
    ),
    Example(
        slug="longer-text",
        title="Longer text",
        text="When the lighthouse keeper retired, the village asked his daughter to take over. She had grown up among "
        "the lamps and lenses, and she knew every sound the old machine could make. On her first night a storm came in "
        "from the west, and the power failed an hour before midnight. She lit the oil lamp that her father had kept "
        "for fifty years, turned the great lens by hand until morning, and counted the ships as they passed. None of "
        "them knew that the light they steered by was moved by one tired woman, and when the harbour master thanked "
        "her for the steady beam, she only said that the lamp had done the work and that it needed more oil.",
        layer=1,
        head=8,
        hint="Most tokens attend to the next one: in the heatmap, the line just right of the diagonal.",
    ),
    Example(
        slug="en-fr-adjectives",
        title="Adjectives",
        text="The black cat is sleeping on the red chair.",
        models=TO_FRENCH,
    ),
    Example(slug="en-fr-negation", title="Negation", text="I do not know where she lives.", models=TO_FRENCH),
    Example(slug="en-fr-pronouns", title="Pronouns", text="He gave them to me yesterday.", models=TO_FRENCH),
    Example(
        slug="en-fr-longer",
        title="Longer sentence",
        text="When I was young, I used to swim in the river every morning with my friends before I went to school.",
        models=TO_FRENCH,
    ),
    Example(slug="zh-en-cat", title="猫追老鼠", text="猫追老鼠", models=FROM_CHINESE),
    Example(slug="zh-en-mouse", title="老鼠追猫", text="老鼠追猫", models=FROM_CHINESE),
    Example(slug="zh-en-where", title="问题", text="你昨天去哪里了？", models=FROM_CHINESE),
    Example(slug="zh-en-longer", title="长一点", text="我不知道他为什么没有来。", models=FROM_CHINESE),
    Example(slug="review-good", title="Praise", text="A warm, funny and deeply moving film.", models=OF_REVIEWS),
    Example(slug="review-bad", title="Blame", text="The plot is dull and the jokes fall flat.", models=OF_REVIEWS),
    Example(
        slug="review-negated",
        title="Negated praise",
        text="It is not a good film, and hardly a funny one.",
        models=OF_REVIEWS,
    ),
    Example(
        slug="review-mixed",
        title="Both at once",
        text="The actors are wonderful, but the story is a mess and the ending a disappointment.",
        models=OF_REVIEWS,
    ),
    Example(slug="prompt-want", title="A sentence to end", text="I don't want to", models=OF_LANGUAGE),
    Example(slug="prompt-asked", title="Names", text="Tom asked Mary to help him with his", models=OF_LANGUAGE),
    Example(
        slug="prompt-cat", title="A thing again", text="The cat saw the dog, and the dog saw the", models=OF_LANGUAGE
    ),
)


def examples_for(model: str) -> tuple[Example, ...]:
    """The examples that are meant for a model, told by its name; those for any where none are."""
    name = f"-{re.sub('[^a-z0-9]+', '-', model.lower())}-"
    meant = tuple(e for e in EXAMPLES if any(f"-{part}-" in name for part in e.models))
    return meant or tuple(e for e in EXAMPLES if not e.models)


def example_with(text: str | None) -> Example | None:
    """The example whose text this is, or None."""
    return next((e for e in EXAMPLES if e.text == text), None)
