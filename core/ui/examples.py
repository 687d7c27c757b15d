"""Texts to start from, each with a head worth looking at and one line that says what to look for.

The lines are true of the default model; `tests/ui/test_examples.py` holds them to its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A text, the layer and head to open with it, and what the reader should look at.

    slug: its name in addresses; query: position of the token whose row is marked.
    """

    slug: str
    title: str
    text: str
    layer: int
    head: int
    hint: str
    query: int | None = None


# The model whose heads the hints speak of.
MODEL = "all-MiniLM-L6-v2"

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
)
