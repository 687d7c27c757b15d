"""Chinese sentences of who does what to whom, with one English rendering each; every one comes in both orders."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

ABOUT = (
    "Pairs of our own, written by templates: animals and people do something to each other, both ways round,"
    " with determiners, colours and places."
)
# Of what a sentence of both orders says, nothing but the order differs: a model has to read it. 貓 is how 猫 is written
# in traditional characters.
HELD_OUT = {
    "猫追老鼠": "the cat chases the mouse",
    "老鼠追猫": "the mouse chases the cat",
    "貓追老鼠": "the cat chases the mouse",
    "老鼠追貓": "the mouse chases the cat",
}
# Sentences that are drawn, each with its mirror image; some come out twice, and count once.
DRAWN = 2000
SEED = 6

# Chinese, English, measure word. A noun is drawn as often as the number says.
_NOUNS = """
老鼠 mouse 只 6
猫 cat 只 4
狗 dog 只 2
马 horse 匹 1
鸟 bird 只 1
鱼 fish 条 1
牛 cow 头 1
羊 sheep 只 1
猪 pig 头 1
老虎 tiger 只 1
狮子 lion 头 1
狼 wolf 只 1
熊 bear 只 1
兔子 rabbit 只 1
鸡 chicken 只 1
鸭子 duck 只 1
蛇 snake 条 1
大象 elephant 头 1
猴子 monkey 只 1
狐狸 fox 只 1
男孩 boy 个 1
女孩 girl 个 1
老师 teacher 个 1
老人 old-man 个 1
"""
# Chinese, then base, third person, past, participle and -ing form, and how often it is drawn.
_ACTIONS = """
追 chase chases chased chased chasing 6
咬 bite bites bit bitten biting 2
吃 eat eats ate eaten eating 1
抓 catch catches caught caught catching 2
帮助 help helps helped helped helping 1
打 hit hits hit hit hitting 1
救 save saves saved saved saving 1
踢 kick kicks kicked kicked kicking 1
画 draw draws drew drawn drawing 1
"""
_STATES = """
喜欢 like likes liked liked liking 2
爱 love loves loved loved loving 1
需要 need needs needed needed needing 1
"""
_DETERMINERS = (("这{}", "this"), ("那{}", "that"), ("一{}", "a"), ("我的", "my"), ("他的", "his"), ("汤姆的", "Tom's"))
_COLOURS = (("黑", "black"), ("白", "white"), ("大", "big"), ("小", "little"))
_PLACES = (
    ("花园里", "in the garden"),
    ("房子里", "in the house"),
    ("公园里", "in the park"),
    ("街上", "in the street"),
    ("河边", "by the river"),
    ("学校里", "at school"),
)
# Shares of the nouns that get a determiner other than "the", and a colour or size.
_DETERMINED, _COLOURED = 0.25, 0.2
# Share of the sentences without a full stop.
_OPEN = 0.4


@dataclass(frozen=True)
class Phrase:
    """A noun with what stands before it, in both languages."""

    chinese: str
    english: str


@dataclass(frozen=True)
class Verb:
    """Its Chinese form, and the English ones."""

    chinese: str
    base: str
    third: str
    past: str
    participle: str
    ing: str


# Subject, verb, object and a place, each in both languages -> a Chinese and an English clause.
Clause = tuple[str, str]
Form = Callable[[Phrase, Verb, Phrase, Phrase], Clause]


def _plain(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return f"{subject.chinese}{verb.chinese}{other.chinese}", f"{subject.english} {verb.third} {other.english}"


def _ongoing(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return f"{subject.chinese}在{verb.chinese}{other.chinese}", f"{subject.english} is {verb.ing} {other.english}"


def _done(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return f"{subject.chinese}{verb.chinese}了{other.chinese}", f"{subject.english} {verb.past} {other.english}"


def _passive(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return (
        f"{other.chinese}被{subject.chinese}{verb.chinese}了",
        f"{other.english} was {verb.participle} by {subject.english}",
    )


def _denied(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return (
        f"{subject.chinese}不{verb.chinese}{other.chinese}",
        f"{subject.english} does not {verb.base} {other.english}",
    )


def _undone(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return (
        f"{subject.chinese}没有{verb.chinese}{other.chinese}",
        f"{subject.english} did not {verb.base} {other.english}",
    )


def _asked(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return (
        f"{subject.chinese}{verb.chinese}{other.chinese}吗？",
        f"does {subject.english} {verb.base} {other.english}?",
    )


def _placed(subject: Phrase, verb: Verb, other: Phrase, place: Phrase) -> Clause:
    return (
        f"{subject.chinese}在{place.chinese}{verb.chinese}{other.chinese}",
        f"{subject.english} {verb.third} {other.english} {place.english}",
    )


def _yesterday(subject: Phrase, verb: Verb, other: Phrase, place: Phrase) -> Clause:
    chinese, english = _done(subject, verb, other, place)
    return f"昨天{chinese}", f"{english} yesterday"


def _seen(subject: Phrase, verb: Verb, other: Phrase, _: Phrase) -> Clause:
    return (
        f"我看见{subject.chinese}{verb.chinese}{other.chinese}",
        f"I see {subject.english} {verb.ing} {other.english}",
    )


_OF_ACTIONS: tuple[Form, ...] = (
    _plain, _plain, _plain, _ongoing, _done, _passive, _denied, _undone, _asked, _placed, _yesterday, _seen,
)  # fmt: skip
_OF_STATES: tuple[Form, ...] = (_plain, _denied, _asked)


def pairs() -> list[Clause]:
    """All pairs, Chinese and English, the same at every call; each sentence beside the one of the other order.

    One Chinese sentence has one English one. None has a held-out source in it.
    """
    draw = random.Random(SEED)
    written: dict[str, str] = {}
    for _ in range(DRAWN):
        for chinese, english in _both_orders(draw):
            if not any(held in chinese for held in HELD_OUT):
                written.setdefault(chinese, english)
    return list(written.items())


def _both_orders(draw: random.Random) -> tuple[Clause, Clause]:
    is_action = draw.random() < 0.8
    verb = Verb(*_drawn(draw, _ACTIONS if is_action else _STATES))
    form = draw.choice(_OF_ACTIONS if is_action else _OF_STATES)
    first, second = _two_phrases(draw)
    place = Phrase(*draw.choice(_PLACES))
    stop = ("", "") if draw.random() < _OPEN else ("。", ".")
    return _finished(form(first, verb, second, place), stop), _finished(form(second, verb, first, place), stop)


def _finished(clause: Clause, stop: Clause) -> Clause:
    chinese, english = clause
    if not english.endswith("?"):
        chinese, english = chinese + stop[0], english + stop[1]
    return chinese, english[0].upper() + english[1:]


def _two_phrases(draw: random.Random) -> tuple[Phrase, Phrase]:
    """Two different nouns, each with what stands before it."""
    first = second = _drawn(draw, _NOUNS)
    while second == first:
        second = _drawn(draw, _NOUNS)
    return _phrase(draw, *first), _phrase(draw, *second)


def _phrase(draw: random.Random, chinese: str, english: str, measure: str) -> Phrase:
    english = english.replace("-", " ")
    if draw.random() < _COLOURED:
        colour = draw.choice(_COLOURS)
        chinese, english = colour[0] + chinese, f"{colour[1]} {english}"
    if draw.random() >= _DETERMINED:
        return Phrase(chinese, f"the {english}")
    before, word = draw.choice(_DETERMINERS)
    article = "an" if word == "a" and english[0] in "aeiou" else word
    return Phrase(before.format(measure) + chinese, f"{article} {english}")


def _drawn(draw: random.Random, table: str) -> list[str]:
    """One row of a table without its last number, which says how often the row is drawn."""
    rows = [line.split() for line in table.split("\n") if line]
    return draw.choices(rows, [int(row[-1]) for row in rows])[0][:-1]
