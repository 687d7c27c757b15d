"""Which tokens make up each word of a text: by the model's own words, or by words that somebody counted.

A person counts "l'" and "homme" as two words and 老鼠 as one; a tokenizer may see one word, or two. Characters decide:
both sides are folded (case, accents, width, kinds of apostrophes) and laid over each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.errors import HeadlightError
from core.text import Tokens, Units, shortened
from core.text.labels import visible

# Stands for what a model had no token for and wrote <unk> instead.
_ANYTHING = "\0"
# The space before a word, as a piece by itself; among single characters a space is a character as any other.
_SPACES = ("▁", "Ġ")
_OTHER_WORDS = "These are not the words of the text that the model has: give the words of this text."
_SAME = str.maketrans("’‘ʼ`´‐‑‒–—−“”„«»", "'''''------\"\"\"\"\"")


@dataclass(frozen=True)
class Group:
    """A word, or a special token by itself.

    tokens, shares   its tokens, and of each the part that belongs to it: 1, unless words share a token
    """

    label: str
    special: bool
    tokens: tuple[int, ...]
    shares: tuple[float, ...]


def groups_of(tokens: Tokens, words: Sequence[str] | None = None) -> tuple[Group, ...]:
    """The words of a text and its special tokens, in order; together they hold every token once.

    words: the words as somebody counted them, the model's own when None.
    Raises HeadlightError where they are not those of the text that the model read or wrote.
    """
    if words is None:
        return _groups_of_units(tokens.merged(), tokens.pieces)
    owners = _owners(tokens, words)
    groups = [_group(word, i, owners) for i, word in enumerate(words)]
    for group in groups:
        if not group.tokens:
            raise HeadlightError(f"The model has nothing of the word “{shortened(group.label, 40)}”: shorten the text.")
    special = [Group(tokens.labels[i], True, (i,), (1.0,)) for i, is_special in enumerate(tokens.special) if is_special]
    return tuple(sorted([*groups, *special], key=lambda group: group.tokens[0]))


def _groups_of_units(units: Units, pieces: Sequence[str]) -> tuple[Group, ...]:
    found: list[Group] = []
    spaces: tuple[int, ...] = ()
    for i, members in enumerate(units.members):
        if all(pieces[place] in _SPACES for place in members):
            spaces += members
            continue
        if units.special[i]:
            found, spaces = _ending_with(found, spaces), ()
        span = units.spans[i]
        text = (units.text_pair or "") if units.sequences[i] == 1 else units.text
        own = text[slice(*span)].strip() if span else ""
        label = units.labels[i] if len(own) > len(units.labels[i]) else visible(own) if own else units.labels[i]
        found.append(_whole_group(label, units.special[i], (*spaces, *members)))
        spaces = ()
    return tuple(_ending_with(found, spaces))


def _ending_with(groups: list[Group], spaces: tuple[int, ...]) -> list[Group]:
    """Tokens that only say that a word begins go to the word after them, and where none comes to the one before."""
    if not spaces:
        return groups
    if not groups or groups[-1].special:
        return [*groups, _whole_group(visible(" "), False, spaces)]
    *others, last = groups
    return [*others, _whole_group(last.label, False, (*last.tokens, *spaces))]


def _whole_group(label: str, special: bool, tokens: tuple[int, ...]) -> Group:
    return Group(label, special, tokens, (1.0,) * len(tokens))


def _group(word: str, number: int, owners: Sequence[Counter[int]]) -> Group:
    places = tuple(i for i, owner in enumerate(owners) if owner[number])
    return Group(word, False, places, tuple(owners[i][number] / owners[i].total() for i in places))


def _owners(tokens: Tokens, words: Sequence[str]) -> list[Counter[int]]:
    """Of each token, how many of its folded characters belong to each word; nothing for special tokens."""
    text = _folded_text(tokens)
    given = [(folded, number) for number, word in enumerate(words) for folded in _folded(word)]
    by_place: dict[int, list[int]] = {}
    for place, number in _laid_over(text, given):
        by_place.setdefault(place, []).append(number)
    owners = [
        Counter(number for place in range(*(span or (0, 0))) for number in by_place.get(place, ()))
        for span in tokens.spans
    ]
    return _with_empty_tokens(owners, tokens)


def _folded_text(tokens: Tokens) -> list[tuple[str, int]]:
    """Folded characters of the text and their places; one _ANYTHING for each <unk> that is spelled out in it."""
    instead: dict[int, str] = {}
    for span, piece, unknown in zip(tokens.spans, tokens.pieces, tokens.unknown, strict=True):
        if unknown and span and tokens.text[slice(*span)].strip() == piece:
            instead |= dict.fromkeys(range(*span), "") | {span[0]: _ANYTHING}
    return [
        (folded, place)
        for place, character in enumerate(tokens.text)
        for folded in instead.get(place, _folded(character))
    ]


def _with_empty_tokens(owners: list[Counter[int]], tokens: Tokens) -> list[Counter[int]]:
    """A token that holds nothing but a space belongs to the word after it, or before it at the end of the text."""
    own = [i for i, special in enumerate(tokens.special) if not special]
    for order in (list(reversed(own)), own):
        for before, place in pairwise(order):
            owners[place] = owners[place] or owners[before]
    return owners


def _laid_over(text: Sequence[tuple[str, int]], given: Sequence[tuple[str, int]]) -> Iterator[tuple[int, int]]:
    """The place of each letter of the text with the word that it lies in; an unknown one may lie in several."""
    letters, wanted = ("".join(letter for letter, _ in side) for side in (text, given))
    places, numbers = ([number for _, number in side] for side in (text, given))
    read = at = 0
    for run, end in _runs(letters, wanted):
        size = len(run)
        for step in range(size):
            own = range(at + step * (end - at) // size, at + (step + 1) * (end - at) // size)
            yield from ((places[read + step], numbers[i]) for i in own)
        read, at = read + size, end


def _runs(letters: str, wanted: str) -> Iterator[tuple[str, int]]:
    """Runs of known and of unknown letters, and where each ends in what is wanted; together they make up all of it."""
    runs = [run for run in re.split(f"({_ANYTHING}+)", letters) if run]
    at = 0
    for number, run in enumerate(runs):
        following = runs[number + 1] if number + 1 < len(runs) else ""
        if run[0] != _ANYTHING:
            end = at + len(run) if wanted.startswith(run, at) else -1
        elif number + 2 < len(runs):
            end = wanted.find(following, at + 1)
        else:
            end = len(wanted) - len(following)
        if end <= at:
            raise HeadlightError(_OTHER_WORDS)
        yield run, end
        at = end
    if at < len(wanted):
        raise HeadlightError(_OTHER_WORDS)


def _folded(characters: str) -> str:
    """What is compared: no case, accents, widths, white space or controls, and one kind of apostrophe, dash, quote."""
    plain = unicodedata.normalize("NFKD", characters.translate(_SAME)).casefold()
    return "".join(c for c in plain if unicodedata.category(c)[0] not in "MCZ")
