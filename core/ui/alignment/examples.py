"""Sentences to start from, by direction; each hint says what to look for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """slug: its name in addresses; title: on its chip; hint: what to look for, in one sentence."""

    slug: str
    title: str
    text: str
    hint: str


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
            "I gave it to him yesterday.",
            "French puts “it” and “to him” before the verb: the weights jump ahead and come back.",
        ),
        Example(
            "long",
            "Long sentence",
            "When I was a child, I used to go to the beach with my family every summer, and in the evening we would "
            "sit by the sea and talk about what we wanted to do the next day.",
            "Without attention all that is known of a sentence is one vector: the longer it gets, the more is lost.",
        ),
    ),
    "zh-en": (
        Example(
            "cat-mouse",
            "猫追老鼠",
            "猫追老鼠",
            "The cat chases: neither this sentence nor its reverse was in training. Look which animal comes first.",
        ),
        Example(
            "mouse-cat",
            "老鼠追猫",
            "老鼠追猫",
            "The same characters in the other order: now the mouse chases, and the attention must cross.",
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
            "The longer the sentence, the more has to pass through one state: look where the attention gets lost.",
        ),
    ),
}


def examples_of(direction: str) -> tuple[Example, ...]:
    """The examples of a direction; none for models that translate nothing that we know of."""
    return EXAMPLES.get(direction, ())


def example_with(direction: str, text: str) -> Example | None:
    """The example that a text is, or None for any other."""
    return next((example for example in examples_of(direction) if example.text == text), None)
