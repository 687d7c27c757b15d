"""English lines that show what attention is for: agreement over a distance, who a pronoun means, and repetition."""

from __future__ import annotations

import random
from collections.abc import Callable

ABOUT = (
    "Lines of our own, written by templates: verbs that agree with a distant subject, pronouns of one of two people,"
    " people who are named again, and words that are repeated in their order."
)
SEED = 6
# Lines of each kind that are drawn; those that come out twice count once.
DRAWN = 3000

_WOMEN = ("Mary", "Anna", "Alice", "Emma", "Jane", "Kate", "Laura", "Lucy", "Nina", "Sarah", "Susan", "Julia")
_MEN = ("John", "Tom", "Peter", "Paul", "David", "Mark", "Henry", "James", "Jack", "Adam", "Robert", "Simon")
_THINGS = (
    "book", "key", "letter", "ball", "cup", "lamp", "map", "hat", "coin", "ring", "apple", "pen", "bag", "clock",
    "photo", "ticket",
)  # fmt: skip
_PLACES = ("shop", "station", "park", "school", "office", "garden", "library", "market", "museum", "kitchen")
_TOWNS = ("Paris", "Rome", "London", "Berlin", "Boston", "Tokyo", "Madrid", "Vienna", "Oslo", "Dublin")
_ANIMALS = ("cat", "dog", "bird", "horse", "cow", "mouse", "rabbit", "duck", "fox", "bear")
_WORDS = (
    "river", "stone", "tree", "moon", "chair", "window", "door", "road", "hill", "fire", "water", "snow", "wind",
    "salt", "bread", "milk", "paper", "glass", "gold", "sugar", "bridge", "tower", "boat", "wheel", "rope", "hammer",
    "needle", "button", "candle", "basket",
)  # fmt: skip
_AGREEING = (
    ("is", "are", "on the table"), ("is", "are", "old"), ("is", "are", "very expensive"), ("was", "were", "lost"),
    ("has", "have", "disappeared"), ("does", "do", "not belong to me"), ("looks", "look", "new"),
)  # fmt: skip
_RUNNING = (("runs", "run"), ("sleeps", "sleep"), ("eats", "eat"), ("lives", "live"), ("plays", "play"))
# A sentence of two people, and which of them, the first or the second, the pronoun "{he}" means; "{him}" is the other.
_CAUSES = (
    ("{a} gave the {thing} to {b} because {he} wanted to help {him}.", 0),
    ("{a} gave the {thing} to {b} because {he} had asked for it.", 1),
    ("{a} thanked {b} because {he} had found the {thing}.", 1),
    ("{a} called {b} because {he} needed the {thing}.", 0),
    ("{a} told {b} that {he} had lost the {thing} and that {he} was sorry.", 0),
    ("{a} asked {b} for the {thing}, but {he} did not have it.", 1),
    ("When {a} saw {b} at the {place}, {he} gave {him} the {thing}.", 0),
    ("{a} waited for {b} at the {place} until {he} came with the {thing}.", 1),
)


def lines() -> list[str]:
    """All lines, each once, the same at every call."""
    draw = random.Random(SEED)
    kinds: tuple[Callable[[random.Random], str], ...] = (_agreement, _clause, _pronoun, _named_again, _towns, _repeated)
    return list(dict.fromkeys(kind(draw) for kind in kinds for _ in range(DRAWN)))


def _agreement(draw: random.Random) -> str:
    """A subject, a noun of either number between, and a verb: "The keys in the bag are old."."""
    many = draw.random() < 0.5
    subject, between = draw.sample(_THINGS, 2)
    one_verb, more_verb, rest = draw.choice(_AGREEING)
    verb = more_verb if many else one_verb
    middle = f"{draw.choice(('near', 'beside', 'behind', 'under'))} the {_numbered(between, draw.random() < 0.5)}"
    return f"The {_numbered(subject, many)} {middle} {verb} {rest}."


def _clause(draw: random.Random) -> str:
    """The same over a clause: "The dogs that the cat sees run in the park."."""
    many, other_many = draw.random() < 0.5, draw.random() < 0.5
    subject, other = draw.sample(_ANIMALS, 2)
    verb, seeing = draw.choice(_RUNNING)[many], "see" if other_many else "sees"
    return f"The {_numbered(subject, many)} that the {_numbered(other, other_many)} {seeing} {verb} in the garden."


def _pronoun(draw: random.Random) -> str:
    woman_first = draw.random() < 0.5
    people = (draw.choice(_WOMEN), draw.choice(_MEN))
    first, second = people if woman_first else people[::-1]
    text, meant = draw.choice(_CAUSES)
    means_woman = woman_first == (meant == 0)
    he, him = ("she", "him") if means_woman else ("he", "her")
    return text.format(a=first, b=second, he=he, him=him, thing=draw.choice(_THINGS), place=draw.choice(_PLACES))


def _named_again(draw: random.Random) -> str:
    """The one who is not named a second time is given the thing (Wang et al. 2023, indirect objects)."""
    first, second = draw.sample(_WOMEN + _MEN, 2)
    giver, other = draw.sample((first, second), 2)
    place, thing = draw.choice(_PLACES), draw.choice(_THINGS)
    article = "an" if thing[0] in "aeiou" else "a"
    return f"When {first} and {second} went to the {place}, {giver} gave {article} {thing} to {other}."


def _towns(draw: random.Random) -> str:
    """Several people and their towns, and one of them once more."""
    count = draw.randint(2, 4)
    people, towns = draw.sample(_WOMEN + _MEN, count), draw.sample(_TOWNS, count)
    asked = draw.randrange(count)
    told = " ".join(f"{person} lives in {town}." for person, town in zip(people, towns, strict=True))
    return f"{told} Where does {people[asked]} live? {people[asked]} lives in {towns[asked]}."


def _repeated(draw: random.Random) -> str:
    """Words in no order, which come again in the same one: what induction heads are for (Olsson et al. 2022)."""
    words = draw.sample(_WORDS + _THINGS + _ANIMALS, draw.randint(3, 9))
    return " ".join(words * draw.randint(2, 3))


def _numbered(noun: str, many: bool) -> str:
    if not many:
        return noun
    return {"mouse": "mice"}.get(noun, f"{noun}es" if noun.endswith("x") else f"{noun}s")
