"""Text and tokens: `TextEncoder` turns text into `Tokens`, the single owner of labels, spans, words and specials."""

from core.text.encoder import TextEncoder
from core.text.notes import Note, notes_on
from core.text.tokens import Tokens

__all__ = ["Note", "TextEncoder", "Tokens", "notes_on"]
