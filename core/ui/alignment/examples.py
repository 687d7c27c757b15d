"""Sentences to start from, by direction; each hint says what to look for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """slug: its name in addresses; title: on its chip; hint: what to look for, in one sentence.

    without: what to look for where a model without attention is among those that are shown, "" for the same.
    """

    slug: str
    title: str
    text: str
    hint: str
    without: str = ""


LONG = "Look whether the weights still follow the words, and the translation the sentence, towards the end."
LONG_WITHOUT = (
    "Without attention all that is known of a sentence is one vector: look how much more is lost there than with it."
)
# By direction, the one that opens first at the front.
EXAMPLES: dict[str, tuple[Example, ...]] = {
    "en-fr": (
        Example(
            "adjective",
            "Word order",
            "The black cat is sleeping on the new bed.",
            "French puts most adjectives after the noun: there the weights leave the diagonal and cross.",
        ),
        Example(
            "negation",
            "Negation",
            "I do not know her name.",
            "One English “not” becomes two French words around the verb: both should look back at it.",
        ),
        Example(
            "pronoun",
            "Pronouns",
            "We want to help them.",
            "French puts “them” before its verb: the weights jump ahead, and come back for “help”.",
        ),
        Example(
            "long",
            "Long sentence",
            "When I was a child, I used to go to the beach with my family every summer, and in the evening we would "
            "sit by the sea and talk about what we wanted to do the next day.",
            LONG,
            LONG_WITHOUT,
        ),
    ),
    "zh-en": (
        Example(
            "cat-mouse",
            "猫追老鼠",
            "猫追老鼠",
            "The cat chases. Neither this nor its reverse was in training, alone or inside a longer sentence.",
        ),
        Example(
            "mouse-cat",
            "老鼠追猫",
            "老鼠追猫",
            "The same three words in another order must come out in another order; both were held out of training.",
        ),
        Example(
            "library",
            "Time and place",
            "我昨天在图书馆看了一本书。",
            "Chinese says when and where before the verb, English after it: the weights go forward and back.",
        ),
        Example(
            "long",
            "Long sentence",
            "我小时候每年夏天都和家人一起去海边，晚上我们会坐在海边聊第二天想做什么。",
            LONG,
            LONG_WITHOUT,
        ),
    ),
}


def examples_of(direction: str) -> tuple[Example, ...]:
    """The examples of a direction; none for models that translate nothing that we know of."""
    return EXAMPLES.get(direction, ())


def example_with(direction: str, text: str) -> Example | None:
    """The example that a text is, or None for any other."""
    return next((example for example in examples_of(direction) if example.text == text), None)
