"""Where the characters that a tokenizer spells stand in the text that it was given."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile

from core.text.characters import Span, clings, is_seen
from core.text.spelling import METASPACE

# Three letters in a row are taken for the same place; normalisers change, drop or add only a few at a time.
_SURE = 3
_DROPPED = 64
_ADDED = 4


def align(spelled: str, text: str) -> list[Span | None]:
    """For each character of what tokens spell, what it stands for in the text; None for those that are not in it.

    Case, accents, width and white space may differ, and either side may have characters that the other lacks. White
    space is placed where it follows a placed character. They never go back.
    """
    if spelled == text:
        return [(i, i + 1) for i in range(len(text))]
    ours, our_places = _folded(spelled)
    theirs, their_places = _folded(text)
    found: list[Span | None] = [None] * len(spelled)
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            start, end = found[our_places[i]] or (their_places[j], 0)
            found[our_places[i]] = (start, max(end, their_places[j] + 1))
            i, j = i + 1, j + 1
            continue
        i, j = _resumed(ours, i, theirs, j)
    _place_white_space(spelled, text, found)
    return found


def _resumed(ours: str, i: int, theirs: str, j: int) -> tuple[int, int]:
    """Where both go on alike after a difference: rather behind dropped characters than behind added ones."""
    unseen = j
    while unseen < len(theirs) and theirs[unseen] != ours[i] and not is_seen(theirs[unseen]):
        unseen += 1
    if theirs[unseen : unseen + 1] == ours[i]:
        return i, unseen
    for size, reach in ((_SURE, _DROPPED), (1, _ADDED)):
        place = _first_place(ours[i : i + size], theirs, unseen, unseen + reach + 1)
        if place is not None:
            return i, place
    for added in range(1, min(_ADDED, len(ours) - i)):
        place = theirs.find(ours[i + added : i + added + _SURE], j, j + _DROPPED + _SURE)
        if place >= 0:
            return i + added, place
    return i + 1, j


def _first_place(run: str, theirs: str, start: int, stop: int) -> int | None:
    """Where the signs of a run follow one another first, but for unseen ones between them, which normalisers drop."""
    place = theirs.find(run[0], start, stop)
    while place >= 0:
        at, end = place, min(len(theirs), place + _DROPPED)
        for sign in run:
            while at < end and theirs[at] != sign and not is_seen(theirs[at]):
                at += 1
            if theirs[at : at + 1] != sign:
                break
            at += 1
        else:
            return place
        place = theirs.find(run[0], place + 1, stop)
    return None


def spans_from(spelled: str, token_spans: Sequence[Span], text: str) -> list[Span]:
    """Spans in the text of tokens whose spans in what they spell are known.

    A token of which nothing is found covers what is left between its neighbours, if it is alone there and that holds
    no white space: a word that became one unknown token. Otherwise it covers nothing. One whose first or last character
    is not found, as a newer Unicode folds it, covers what is left on that side up to its neighbour or white space.
    """
    found = align(spelled, text)
    spans: list[Span | None] = []
    lacks = []  # of each token, whether its first and its last character were not found
    for start, end in token_spans:
        own = [span for span in found[start:end] if span is not None]
        spans.append((own[0][0], own[-1][1]) if own else None)
        lacks.append((start < end and found[start] is None, start < end and found[end - 1] is None))
    is_space = [start < end and not spelled[start:end].strip() for start, end in token_spans]
    return _fill(spans, is_space, lacks, text)


def _folded(text: str) -> tuple[str, list[int]]:
    """Without white space, case and width, accents apart from letters, and the place of each sign that is left."""
    signs = [
        (sign, place)
        for place, character in enumerate(text)
        for sign in unicodedata.normalize("NFKD", character).casefold()
        if not _is_space(sign)
    ]
    return "".join(sign for sign, _ in signs), [place for _, place in signs]


def _place_white_space(spelled: str, text: str, found: list[Span | None]) -> None:
    after = 0
    for i, character in enumerate(spelled):
        span = found[i]
        if span is None and _is_space(character) and after < len(text) and _is_space(text[after]):
            span = found[i] = (after, after + 1)
        if span is not None:
            after = span[1]
            while after < len(text) and clings(text[after]):
                after += 1


def _is_space(character: str) -> bool:
    """SentencePiece's own sign for a space is one, also where a user typed it."""
    return character.isspace() or character == METASPACE


def _fill(
    spans: Sequence[Span | None], is_space: Sequence[bool], lacks: Sequence[tuple[bool, bool]], text: str
) -> list[Span]:
    upcoming = iter([*(span[0] for span in spans if span), len(text)])
    following = next(upcoming)
    filled: list[Span] = []
    for i, span in enumerate(spans):
        before = filled[-1][1] if filled else 0
        if span is not None:
            following = next(upcoming)
            start, end = span
            left = _up_to_space(text[before:start][::-1]) if lacks[i][0] else ""
            right = _up_to_space(text[end:following]) if lacks[i][1] else ""
            filled.append((start - len(left), end + len(right)))
            continue
        gap = text[before:following]
        word = gap.strip()
        start = before + gap.find(word)
        alone = (i == 0 or spans[i - 1] is not None) and (i + 1 == len(spans) or spans[i + 1] is not None)
        whole = alone and word and not is_space[i] and _up_to_space(word) == word
        filled.append((start, start + len(word)) if whole else (before, before))
    return filled


def _up_to_space(text: str) -> str:
    return "".join(takewhile(lambda character: not character.isspace(), text))
