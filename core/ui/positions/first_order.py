"""The order in which the words of a text stand at first: two of them have changed places."""

from __future__ import annotations

from itertools import pairwise

from core.text.labels import ADDED_SPACE, visible

CAT_CHASES = "猫追老鼠"
# 老鼠追猫
MOUSE_CHASES = (2, 3, 1, 0)
# After one of these stands a noun, or what belongs to one: two of them change places, and the text is still a sentence.
BEFORE_NOUNS = frozenset({"the", "a", "an", "his", "her", "my", "your", "their", "our", "its", "this", "that"})


def first_order(words: tuple[str, ...]) -> tuple[int, ...]:
    """The order in which words stand at first, never the original one of two words or more.

    老鼠追猫; else two words after articles change places; else two neighbours in the middle.
    """
    if "".join(words) == CAT_CHASES and len(words) == len(MOUSE_CHASES):
        return MOUSE_CHASES
    bare = [_bare(word) for word in words]
    one, other = _nouns(bare) or _neighbours(bare) or (0, 0)
    order = list(range(len(words)))
    if order:
        order[one], order[other] = other, one
    return tuple(order)


def _bare(word: str) -> str:
    return word.removeprefix(ADDED_SPACE).strip(visible(" ")).casefold()


def _nouns(words: list[str]) -> tuple[int, int] | None:
    """The first two different words that follow an article."""
    found: list[int] = []
    for place, (before, word) in enumerate(pairwise(words), start=1):
        is_noun = before in BEFORE_NOUNS and word not in BEFORE_NOUNS and any(map(str.isalnum, word))
        if is_noun and word not in [words[each] for each in found]:
            found.append(place)
    return (found[0], found[1]) if len(found) > 1 else None


def _neighbours(words: list[str]) -> tuple[int, int] | None:
    """Two different words in the middle; of those that are spelled, and no "t" of a "don't", if there are two."""
    spelled = [place for place, word in enumerate(words) if any(map(str.isalnum, word))]
    whole = [place for place in spelled if len(words[place]) > 1 or not words[place].isascii()]
    beside = [pair for pair in pairwise(whole) if pair[1] - pair[0] == 1]
    for pairs in (beside, list(pairwise(spelled)), list(pairwise(range(len(words))))):
        differ = [(one, other) for one, other in pairs if words[one] != words[other]]
        if differ:
            return differ[(len(differ) - 1) // 2]
    return (0, 1) if len(words) > 1 else None
