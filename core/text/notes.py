"""What a reader must know about how a text was read, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.cleaning import REPLACEMENT
from core.text.labels import visible
from core.text.tokens import Tokens

MUCH_UNKNOWN = 0.25
_LAST_WORDS = 40
_CHARACTERS_NAMED = 5


@dataclass(frozen=True)
class Note:
    """One sentence; `warning` when the pictures must be read with it in mind."""

    sentence: str
    warning: bool


def notes_on(tokens: Tokens) -> tuple[Note, ...]:
    """What was cut, replaced, unknown, or typed like a special token; () when there is nothing to say."""
    found = [
        _on_cut(tokens),
        _on_unknown(tokens),
        _on_replaced(tokens),
        _on_dropped_characters(tokens),
        _on_literals(tokens),
    ]
    return tuple(note for note in found if note is not None)


def _on_cut(tokens: Tokens) -> Note | None:
    if not tokens.dropped:
        return None
    after = f"“{_last_words_read(tokens, tokens.text, 0)}”"
    if tokens.text_pair is not None:
        after += f" in the first and “{_last_words_read(tokens, tokens.text_pair, 1)}” in the second text"
    return Note(
        f"The model reads {len(tokens):,} tokens at a time: {tokens.dropped:,} more were cut off, after {after}.",
        warning=True,
    )


def _last_words_read(tokens: Tokens, text: str, sequence: int) -> str:
    ends = [span[1] for span, s in zip(tokens.spans, tokens.sequences, strict=True) if span and s == sequence]
    end = max(ends, default=0)
    start = max(0, end - _LAST_WORDS)
    return ("…" if start else "") + " ".join(text[start:end].split())


def _on_unknown(tokens: Tokens) -> Note | None:
    unknown = sum(tokens.unknown)
    if not unknown:
        return None
    own = len(tokens) - sum(tokens.special)
    counted = f"{unknown} of {own} tokens are" if unknown > 1 else f"1 of {own} tokens is"
    if tokens.unknown_share < MUCH_UNKNOWN:
        return Note(f"{counted} unknown to the model; their labels show the characters they stand for.", warning=False)
    return Note(
        f"{counted} unknown to the model: it reads the same “unknown” sign for each of them, so the maps show where "
        "they stand, not what they mean.",
        warning=True,
    )


def _on_replaced(tokens: Tokens) -> Note | None:
    if not tokens.replaced:
        return None
    what = "1 broken character" if tokens.replaced == 1 else f"{tokens.replaced} broken characters"
    return Note(f"{what} became �, the sign for a character that got lost; paste the text again.", warning=True)


def _on_dropped_characters(tokens: Tokens) -> Note | None:
    dropped = [*_unread(tokens, tokens.text, 0), *_unread(tokens, tokens.text_pair or "", 1)]
    if not dropped:
        return None
    what = "1 character" if len(dropped) == 1 else f"{len(dropped):,} characters"
    shown = ", ".join(dict.fromkeys(f"{visible(c)}" for c in dropped[:_CHARACTERS_NAMED]))
    more = ", …" if len(dropped) > _CHARACTERS_NAMED else ""
    return Note(f"The model's tokenizer drops {what} of the text without a token: {shown}{more}.", warning=False)


def _unread(tokens: Tokens, text: str, sequence: int) -> list[str]:
    """Characters before the end of what was read that no token covers; white space and what was broken aside."""
    spans = [span for span, s in zip(tokens.spans, tokens.sequences, strict=True) if span and s == sequence]
    covered = {i for span in spans for i in range(*span)}
    end = max((span[1] for span in spans), default=0) if tokens.dropped else len(text)
    return [text[i] for i in range(end) if i not in covered and not text[i].isspace() and text[i] != REPLACEMENT]


def _on_literals(tokens: Tokens) -> Note | None:
    if not tokens.literals:
        return None
    typed = ", ".join(f"“{literal}”" for literal in tokens.literals)
    read = (
        "is read letter by letter, not as a special token"
        if len(tokens.literals) == 1
        else ("are read letter by letter, not as special tokens")
    )
    return Note(f"{typed} in your text {read} of the model.", warning=False)
