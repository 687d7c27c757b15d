"""How a token is shown: the user's own characters, with what the eye would miss made visible."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from core.text.characters import Span, continues

LONGEST = 400
_VISIBLE = {" ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍", "\u00a0": "⍽", "\u3000": "□"}
_JOINERS = {"\u200c", "\u200d"}
_SELECTORS = {chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}
_NO_LETTER = "◌"  # carries a mark that has no letter, as in books about letters
# Brackets as around code points: what they hold is not in the text.
ADDED_SPACE = "⟨␣⟩"


def make_labels(
    text: str, spans: Sequence[Span | None], pieces: Sequence[str], space_mark: str | None = None
) -> list[str]:
    """One label a token of one text.

    A character that is split over k tokens (an emoji in byte pieces) is shown as `😀[1/3]`, `😀[2/3]`, `😀[3/3]`.
    Beyond LONGEST characters a label is cut, and says how much is missing; the span still covers all of it.
    A token without characters of its own is shown as its piece; a space in it, which a tokenizer put first, as `⟨␣⟩`.
    """
    covering = Counter(i for span in spans if span for i in range(*span))
    seen: Counter[int] = Counter()
    labels = []
    for span, piece in zip(spans, pieces, strict=True):
        label, whole = "", ""
        for i in range(*(span or (0, 0))):
            seen[i] += 1
            if covering[i] == 1:
                whole += text[i]
            else:
                label += visible(whole) + f"{visible(text[i])}[{seen[i]}/{covering[i]}]"
                whole = ""
        labels.append(bounded(label + visible(whole)) or _spelling(piece, space_mark))
    return labels


def bounded(label: str) -> str:
    """A label of at most LONGEST characters, and how many more there are."""
    rest = len(label) - LONGEST
    return label if rest <= 0 else f"{label[:LONGEST]}…[{rest:,} more]"


def shortened(label: str, limit: int) -> str:
    """A label of at most so many characters for a sentence, cut where a reader sees two characters."""
    if len(label) <= limit:
        return label
    end = limit - 1
    while end > 0 and continues(label, end):
        end -= 1
    return label[:end] + "…"


def visible(characters: str) -> str:
    """The same characters, with white space as signs and control or direction marks as their code points.

    Joiners and selectors without a character to join or change are code points too; a combining mark without a letter
    is shown on a dotted circle.
    """
    if all(c in _JOINERS or c in _SELECTORS for c in characters):
        return "".join(_code_point(c) for c in characters)
    marks_nothing = unicodedata.category(characters[0]) in ("Mn", "Me")
    return _NO_LETTER * marks_nothing + "".join(_show(c) for c in characters)


def _spelling(piece: str, space_mark: str | None) -> str:
    if space_mark is None:
        return visible(piece)
    return ADDED_SPACE.join(visible(part) for part in piece.split(space_mark))


def _show(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs") and character not in _JOINERS
    return _code_point(character) if hidden else character


def _code_point(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
