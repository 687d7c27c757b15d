"""How a token is shown: the user's own characters, with what the eye would miss made visible."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from core.text.spans import BYTE_LEVEL_SPACE
from core.text.tokens import Span

LONGEST = 400
_VISIBLE = {" ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍", "\u00a0": "⍽", "\u3000": "□"}
# Characters that draw nothing or reorder their neighbours: invisible in a label, or a way to fake one.
_JOINERS = {"\u200c", "\u200d"}


def make_labels(text: str, spans: Sequence[Span | None], pieces: Sequence[str]) -> list[str]:
    """One label a token of one text.

    A character that is split over k tokens (an emoji in byte pieces) is shown as `😀[1/3]`, `😀[2/3]`, `😀[3/3]`.
    Beyond LONGEST characters a label is cut, and says how much is missing; the span still covers all of it.
    A token without characters of its own, such as a space that a tokenizer puts first, is shown as its piece.
    """
    covering = Counter(i for span in spans if span for i in range(*span))
    seen: Counter[int] = Counter()
    labels = []
    for span, piece in zip(spans, pieces, strict=True):
        shown = []
        for i in range(*(span or (0, 0))):
            seen[i] += 1
            part = f"[{seen[i]}/{covering[i]}]" if covering[i] > 1 else ""
            shown.append(text[i] + part)
        labels.append(_bounded(visible("".join(shown))) or piece.replace(BYTE_LEVEL_SPACE, _VISIBLE[" "]))
    return labels


def _bounded(label: str) -> str:
    rest = len(label) - LONGEST
    return label if rest <= 0 else f"{label[:LONGEST]}…[{rest:,} more]"


def visible(characters: str) -> str:
    """The same characters, with white space as signs and control or direction marks as their code points."""
    if all(c in _JOINERS for c in characters):
        return "".join(_code_point(c) for c in characters)
    return "".join(_show(c) for c in characters)


def _show(character: str) -> str:
    if character in _VISIBLE:
        return _VISIBLE[character]
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Zs") and character not in _JOINERS
    return _code_point(character) if hidden else character


def _code_point(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
