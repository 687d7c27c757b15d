"""Texts to start from, each with a head worth looking at and one line that says what to look for.

The lines are true of the default model; `tests/ui/test_examples.py` holds them to its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A text, the layer and head to open with it, and what the reader should look at."""

    title: str
    text: str
    layer: int
    head: int
    hint: str


EXAMPLES = (
    Example(
        title="Pronoun",
        text="The animal didn't cross the street because it was too tired.",
        layer=3,
        head=1,
        hint="Look at the row of “it”: this head gives more than half of its weight to “animal”.",
    ),
    Example(
        title="Noun phrases",
        text="The tired old dog chased a small cat across the garden.",
        layer=2,
        head=8,
        hint="Look at “old”, “a” and “small”: this head sends each of them to the noun that it belongs to.",
    ),
    Example(
        title="Repeated words",
        text="the cat and the dog and the the bird",
        layer=0,
        head=2,
        hint="Every word looks at the one before it; the four words “the” are four rows, each with its own neighbour.",
    ),
    Example(
        title="中文 and emoji",
        text="猫追老鼠 🐱🐭 means: the cat chases the mouse",
        layer=0,
        head=2,
        hint="This English model has no token for most of these signs, so they all look alike to it; "
        "only the order of the tokens still shows.",
    ),
    Example(
        title="Longer text",
        text="When the lighthouse keeper retired, the village asked his daughter to take over. She had grown up among "
        "the lamps and lenses, and she knew every sound the old machine could make. On her first night a storm came in "
        "from the west, and the power failed an hour before midnight. She lit the oil lamp that her father had kept "
        "for fifty years, turned the great lens by hand until morning, and counted the ships as they passed. None of "
        "them knew that the light they steered by was moved by one tired woman, and when the harbour master thanked "
        "her for the steady beam, she only said that the lamp had done the work and that it needed more oil.",
        layer=1,
        head=8,
        hint="The line beside the diagonal is a head that looks at the next word, as clearly here as in a short text.",
    ),
)
